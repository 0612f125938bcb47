"""The parser: one token cursor, one state, and the parts of the grammar that use them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.frontend.parser.cursor import Cursor
from kernels.frontend.parser.declarations import Declarations
from kernels.frontend.parser.declarators import Declarators
from kernels.frontend.parser.expressions import Expressions
from kernels.frontend.parser.functions import Functions
from kernels.frontend.parser.id_expressions import IdExpressions
from kernels.frontend.parser.initialisers import Initialisers
from kernels.frontend.parser.lookahead import LookAhead
from kernels.frontend.parser.members import Members
from kernels.frontend.parser.primary_expressions import PrimaryExpressions
from kernels.frontend.parser.range_for import RangeStatements
from kernels.frontend.parser.state import State
from kernels.frontend.parser.statements import Statements
from kernels.frontend.parser.structs import Structs
from kernels.frontend.parser.translation_unit import TranslationUnit
from kernels.frontend.parser.type_specifiers import TypeSpecifiers
from kernels.frontend.templates.function_templates import FunctionTemplates
from kernels.frontend.templates.packs import Packs
from kernels.frontend.templates.parameters import TemplateParameters
from kernels.frontend.templates.struct_templates import StructTemplates

if TYPE_CHECKING:
    from kernels.frontend import ast
    from kernels.frontend.lexer.tokens import Text
    from kernels.frontend.preprocessor.macros import Piece
    from kernels.frontend.types import Argument


class Parser:
    """Parses one file, or one expression."""

    def __init__(self, source: Text, pieces: list[Piece], *, bodies: bool = True) -> None:
        self.tokens = tokens = Cursor(source, pieces)
        self.state = state = State(self._instantiate, bodies=bodies)
        self.lookahead = LookAhead(tokens, state, self)
        self.types = TypeSpecifiers(tokens, state, self)
        self.declarators = Declarators(tokens, state, self)
        self.packs = Packs(tokens, state, self)
        self.primaries = PrimaryExpressions(tokens, state, self)
        self.expressions = Expressions(tokens, state, self)
        self.names = IdExpressions(tokens, state, self)
        self.initialisers = Initialisers(tokens, state, self)
        self.declarations = Declarations(tokens, state, self)
        self.statements = Statements(tokens, state, self)
        self.ranges = RangeStatements(tokens, state, self)
        self.functions = Functions(tokens, state, self)
        self.structs = Structs(tokens, state, self)
        self.members = Members(tokens, state, self)
        self.template_arguments = TemplateParameters(tokens, state, self)
        self.struct_templates = StructTemplates(tokens, state, self)
        self.function_templates = FunctionTemplates(tokens, state, self)
        self.file = TranslationUnit(tokens, state, self)

    def _instantiate(self, template: ast.Template, arguments: tuple[Argument | None, ...]) -> ast.Function:
        return self.function_templates.instantiate(template, arguments)
