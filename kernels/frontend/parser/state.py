"""The state that all parts of the parser share: names, what was read so far, and what is being read."""

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
    """What the parts of one parser share."""

    def __init__(self, instantiate: Instantiate, *, bodies: bool = True) -> None:
        self.bodies = bodies
        """Whether the bodies of functions are read, or only what is declared."""
        self.scopes = Scopes()
        self.namespaces = set(NAMESPACES)
        self.signature = False
        """Whether a template is read whose parameters have no values yet."""
        self.in_angles = False
        """Whether `>` closes template arguments here."""
        self.owners: list[str] = []
        """The structs in whose braces this is, the innermost last."""
        self.split_angle = -1
        """Index of a `>>` whose first `>` has closed template arguments."""
        self.constexpr = Constexpr(instantiate)
        self.values = VisibleConstants(self.scopes, self.constexpr)
        self.parameters_at = -1
        """Index of a `(` that is known to open a function's parameters."""
        self.tree_height = 0
        """Height of the tree that was read last."""
        self.declaring: tuple[str, CType | None] = ("", None)
        """The variable whose value is being read, and its type."""
        self.member_templates: set[str] = set()
        """Names of the function templates inside of structs."""
        self.function_name = ""
        """Name of the function that is being read."""
        self.constructors: set[str] = set()
        """Names of the structs that have a constructor."""
        self.defaulted: set[str] = set()
        """Names of the structs that have `S() = default`: it leaves members without a value."""
        self.defaults: dict[str, dict[str, Default]] = {}
        """By struct and member: the token at which a default member value begins."""
        self.enums: set[str] = set()
        """Names of enums."""
        self.enumerators: list[ast.Variable] = []
        """What the enums inside the declaration being read declare."""
        self.constants: dict[str, ast.Variable] = {}
        """By full name: constant arrays that structs declare, and static variables of functions."""
        self.functions: list[ast.Function] = []
        self.template_head = -1
        """Where the head of a template's function begins that is being read, else -1."""
        self.members: dict[str, dict[str, Entry]] = {}
        """By struct: what the names of its members mean inside of its functions."""
        self.skipped: list[tuple[str, str]] = []
        """What was left out, by name, and why."""
        self.unread: list[tuple[str, SourceError]] = []
        """The kernels that cannot be read."""
        self.first_error: SourceError | None = None
        self.statics: dict[str, tuple[Scalar, Value]] = {}
        """By full name: constants that structs declare."""
        self.structs: dict[str, types.Struct] = {}
        """By name: what a pointer points to that was declared before its struct was."""
        self.packing = False
        """Whether `#pragma pack` puts members side by side."""
        self.instance_depth = 0
        """Depth of the instances of templates of types that are being read."""
        self.templates: list[ast.Template] = []
        self.declared: tuple[tuple[ast.Function, ...], tuple[ast.Template, ...]] = ((), ())
        """Functions of the whole file, once it is read: `functions` and `templates` are then those of instances."""
        self.variables: list[ast.Variable] = []

    def end_of_file(self) -> None:
        """Note that the whole file is parsed: `functions` and `templates` are those of instances from here on."""
        self.declared = tuple(self.functions), tuple(self.templates)
        self.functions, self.templates = [], []
