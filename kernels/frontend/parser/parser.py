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
    from kernels.frontend.lexer.tokens import Text
    from kernels.frontend.parser import grammar
    from kernels.frontend.preprocessor.macros import Piece


class Parser:
    """Parses one file, or one expression."""

    def __init__(self, source: Text, pieces: list[Piece], *, bodies: bool = True) -> None:
        self.tokens = tokens = Cursor(source, pieces)
        # A constexpr function can be an instance of a template: the part that parses it is created below.
        self.state = state = State(lambda *of: self.function_templates.instantiate(*of), bodies=bodies)
        self.lookahead: grammar.LookAhead = LookAhead(tokens, state, self)
        self.types: grammar.TypeSpecifiers = TypeSpecifiers(tokens, state, self)
        self.declarators: grammar.Declarators = Declarators(tokens, state, self)
        self.packs: grammar.Packs = Packs(tokens, state, self)
        self.primaries: grammar.PrimaryExpressions = PrimaryExpressions(tokens, state, self)
        self.expressions: grammar.Expressions = Expressions(tokens, state, self)
        self.names: grammar.IdExpressions = IdExpressions(tokens, state, self)
        self.initialisers: grammar.Initialisers = Initialisers(tokens, state, self)
        self.declarations: grammar.Declarations = Declarations(tokens, state, self)
        self.statements: grammar.Statements = Statements(tokens, state, self)
        self.ranges: grammar.RangeStatements = RangeStatements(tokens, state, self)
        self.functions: grammar.Functions = Functions(tokens, state, self)
        self.structs: grammar.Structs = Structs(tokens, state, self)
        self.members: grammar.Members = Members(tokens, state, self)
        self.template_arguments: grammar.TemplateParameters = TemplateParameters(tokens, state, self)
        self.struct_templates: grammar.StructTemplates = StructTemplates(tokens, state, self)
        self.function_templates: grammar.FunctionTemplates = FunctionTemplates(tokens, state, self)
        self.file = TranslationUnit(tokens, state, self)
