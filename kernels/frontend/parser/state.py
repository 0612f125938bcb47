"""State of the parser: the scopes, the declarations so far, and the context of the next token."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.frontend.parser.constexpr import Constexpr
from kernels.frontend.parser.scope import NAMESPACES, Scopes, VisibleConstants

if TYPE_CHECKING:
    from kernels.errors import SourceError
    from kernels.frontend import ast, types
    from kernels.frontend.constant_expressions import Value
    from kernels.frontend.parser.constexpr import Instantiate
    from kernels.frontend.parser.scope import Default, Entry
    from kernels.frontend.types import CType, Scalar


class State:
    """The state that all parts of one parser share."""

    def __init__(self, instantiate: Instantiate, *, bodies: bool = True) -> None:
        # --- names and constants
        self.scopes = Scopes()
        self.namespaces = set(NAMESPACES)
        """Names of namespaces, which are skipped in front of `::`."""
        self.constexpr = Constexpr(instantiate)
        """Interprets the constexpr functions so far."""
        self.values = VisibleConstants(self.scopes, self.constexpr)

        # --- context of the next token
        self.bodies = bodies
        """True if bodies of functions are parsed, False if they are skipped."""
        self.signature = False
        """True if this is the signature of a template, whose parameters have no arguments yet."""
        self.in_angles = False
        """True if `>` closes template arguments; else it compares."""
        self.split_angle = -1
        """Index of a `>>` whose first half has closed template arguments; -1 for none."""
        self.owners: list[str] = []
        """Names of the structs around the next token, the innermost last."""
        self.function_name = ""
        """Name of the function around the next token, for `__func__`."""
        self.template_head = -1
        """Index of the first token of a function template's declaration, until its body; an error in between means that
        the template arguments do not fit. Else -1."""
        self.declaring: tuple[str, CType | None] = ("", None)
        """Name and type of the variable whose initialiser this is."""
        self.parameters_at = -1
        """Index of a `(` that is known to open the parameters of a function."""
        self.packing = False
        """True if `#pragma pack` is active: members have no padding."""
        self.tree_height = 0
        """Height of the expression that was parsed last."""
        self.instance_depth = 0
        """Number of instances of type templates around the next token."""

        # --- declarations of the file
        self.functions: list[ast.Function] = []
        """Functions so far; after the end of the file, those of instances."""
        self.templates: list[ast.Template] = []
        """Function templates so far; after the end of the file, those of instances."""
        self.declared: tuple[tuple[ast.Function, ...], tuple[ast.Template, ...]] = ((), ())
        """Functions and templates of the whole file, after its end."""
        self.variables: list[ast.Variable] = []
        """Variables for device code."""
        self.omissions: list[ast.Omission] = []
        """Declarations that were left out."""
        self.kernel_errors: list[tuple[str, SourceError]] = []
        """Kernels that cannot be parsed, with their errors."""
        self.first_error: SourceError | None = None
        """The first error in device code."""

        # --- structs and enums
        self.structs: dict[str, types.Struct] = {}
        """Structs by name; a pointer that was declared before its struct finds its target here."""
        self.members: dict[str, dict[str, Entry]] = {}
        """Entries of names inside of member functions, by struct."""
        self.member_templates: set[str] = set()
        """Names of the function templates inside of structs."""
        self.constructors: set[str] = set()
        """Names of the structs that have a constructor."""
        self.defaulted: set[str] = set()
        """Names of the structs that have `S() = default`, which leaves members uninitialised."""
        self.defaults: dict[str, dict[str, Default]] = {}
        """Default values, by struct and member."""
        self.statics: dict[str, tuple[Scalar, Value]] = {}
        """Type and value of static constants of structs, by full name."""
        self.constants: dict[str, ast.Variable] = {}
        """Constant arrays of structs and static variables of functions, by full name."""
        self.enums: set[str] = set()
        """Names of enums."""
        self.enumerators: list[ast.Variable] = []
        """Enumerators of the enums inside of the current declaration."""

    def end_of_file(self) -> None:
        """Move functions and templates to `declared`: those that follow are of instances."""
        self.declared = tuple(self.functions), tuple(self.templates)
        self.functions, self.templates = [], []
