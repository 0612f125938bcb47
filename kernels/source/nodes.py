"""The typed syntax tree: frozen nodes, each of which knows where it stands in the source."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kernels.errors import SourceError
    from kernels.source.types import CType, FunctionName, Scalar, Struct


@dataclass(frozen=True, slots=True)
class Span:
    """From (line, column) up to, not including, (end_line, end_column); all counted from 1."""

    line: int
    column: int
    end_line: int
    end_column: int


# --- expressions -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Name:
    """A variable, parameter, built-in such as threadIdx, or a function that is named and not called.

    `template` holds what `function<…>` gives.
    """

    span: Span
    id: str
    template: tuple[CType | Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class Number:
    """A literal, with the type that its spelling gives it."""

    span: Span
    value: int | float
    type: Scalar


@dataclass(frozen=True, slots=True)
class String:
    """A string literal, escapes resolved; only printf and assert take one."""

    span: Span
    value: str


@dataclass(frozen=True, slots=True)
class Unary:
    """`-x`, `+x`, `!x`, `~x`, `*x`, `&x`."""

    span: Span
    op: Literal["-", "+", "!", "~", "*", "&"]
    operand: Expr


@dataclass(frozen=True, slots=True)
class Binary:
    """Any operator with two operands, `&&` and `||` (short circuit) and `,` among them."""

    span: Span
    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Conditional:
    """`condition ? then : otherwise`."""

    span: Span
    condition: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True, slots=True)
class Assign:
    """`target op value`, op from `=`, `+=`, `-=` and so on."""

    span: Span
    op: str
    target: Expr
    value: Expr


@dataclass(frozen=True, slots=True)
class Update:
    """`++x`, `x++`, `--x`, `x--`."""

    span: Span
    op: Literal["++", "--"]
    prefix: bool
    target: Expr


@dataclass(frozen=True, slots=True)
class Index:
    """`base[index]`."""

    span: Span
    base: Expr
    index: Expr


@dataclass(frozen=True, slots=True)
class Member:
    """`base.field` (threadIdx.x); `->` arrives as a Member of a dereferenced base."""

    span: Span
    base: Expr
    field: str


@dataclass(frozen=True, slots=True)
class Call:
    """`function(arguments…)`; `template` holds what `function<…>` gives, types and constants.

    `object.member(…)` is a call of ".member" with the object as first argument; the function is declared as
    "Struct::member", with a parameter `this` that is a reference in front. A call of a value, `f(x)` where f
    points to a function or is a struct that can be called, is a call of ".operator()".
    """

    span: Span
    function: str
    arguments: tuple[Expr, ...]
    template: tuple[CType | Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class Construct:
    """A struct made of values: `float2{x, y}`, `Pair(a, b)`, or the braces that a variable or return takes.

    A constructor is declared as the function "Struct::Struct"; without one, members beyond the values given
    are zero. `type` is AUTO where the place decides it (`return {a, b};`).
    """

    span: Span
    type: CType
    values: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Cast:
    """`(type)operand` and the C++ casts."""

    span: Span
    type: CType
    operand: Expr


@dataclass(frozen=True, slots=True)
class Lambda:
    """`[captures](parameters) { … }`: a function, `code`, that sees the variables where it stands.

    `copies` are the names that it copies there, with `by_value` all; it changes copies only if it is `mutable`.
    """

    span: Span
    by_value: bool
    copies: tuple[str, ...]
    mutable: bool
    code: Function


@dataclass(frozen=True, slots=True)
class SizeOf:
    """`sizeof(type)` or `sizeof expression`."""

    span: Span
    operand: CType | Expr


Expr = (
    Name
    | Number
    | String
    | Unary
    | Binary
    | Conditional
    | Assign
    | Update
    | Index
    | Member
    | Call
    | Construct
    | Cast
    | Lambda
    | SizeOf
)

# --- statements --------------------------------------------------------------------------------------

Space = Literal["auto", "shared", "constant", "global"]
"""Where a declared variable lives: `auto` is a register or, for an array, local memory."""


@dataclass(frozen=True, slots=True)
class Variable:
    """One declared name. `dynamic` marks `extern __shared__`."""

    span: Span
    name: str
    type: CType
    space: Space = "auto"
    const: bool = False
    dynamic: bool = False
    value: Expr | tuple[Expr, ...] | None = None


@dataclass(frozen=True, slots=True)
class Declare:
    """A declaration statement; one Variable a declarator."""

    span: Span
    variables: tuple[Variable, ...]


@dataclass(frozen=True, slots=True)
class Do:
    """An expression evaluated for what it does: an assignment, a call, an update."""

    span: Span
    expression: Expr


@dataclass(frozen=True, slots=True)
class Block:
    """`{ … }`."""

    span: Span
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class If:
    """`if (condition) then else otherwise`; `header` spans the part up to the closing parenthesis."""

    span: Span
    header: Span
    condition: Expr
    then: Statement
    otherwise: Statement | None


@dataclass(frozen=True, slots=True)
class For:
    """`for (start; condition; step) body`."""

    span: Span
    header: Span
    start: Statement | None
    condition: Expr | None
    step: Expr | None
    body: Statement


@dataclass(frozen=True, slots=True)
class While:
    """`while (condition) body`, or with `first` the do-while, whose body runs once before the test."""

    span: Span
    header: Span
    condition: Expr
    body: Statement
    first: bool = False


@dataclass(frozen=True, slots=True)
class Break:
    """`break;`."""

    span: Span


@dataclass(frozen=True, slots=True)
class Continue:
    """`continue;`."""

    span: Span


@dataclass(frozen=True, slots=True)
class Return:
    """`return value;`."""

    span: Span
    value: Expr | None


@dataclass(frozen=True, slots=True)
class Case:
    """Labels of a switch and the statements up to the next label; `default` where `default:` is among them."""

    span: Span
    values: tuple[Expr, ...]
    default: bool
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Switch:
    """`switch (value) { case … }`: without a break, one case goes on with the next."""

    span: Span
    header: Span
    value: Expr
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class Assembly:
    """`asm volatile("template" : outputs : inputs);`; each operand with its constraint."""

    span: Span
    template: str
    outputs: tuple[tuple[str, Expr], ...]
    inputs: tuple[tuple[str, Expr], ...]


Statement = Declare | Do | Block | If | For | While | Break | Continue | Return | Switch | Assembly

# --- program -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a function; its type may be a Reference."""

    span: Span
    name: str
    type: CType
    default: Expr | None = None


@dataclass(frozen=True, slots=True)
class Function:
    """`__global__` (a kernel) or `__device__`; an operator is named "operator+".

    Functions of one name are overloads. An instance of a template carries its arguments: types and numbers.
    """

    span: Span
    name: str
    kernel: bool
    returns: CType
    parameters: tuple[Parameter, ...]
    body: Block
    template: tuple[CType | FunctionName | int | float | bool, ...] = ()


@dataclass(frozen=True, slots=True)
class TemplateParameter:
    """`typename T` (type None) or `int N`; `default` where one is given."""

    name: str
    type: Scalar | None
    default: CType | Expr | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Template:
    """A function template. The types of `signature` name the template's parameters as `Named`.

    The type of a parameter that is a function is a pointer to it. `instantiate` reads the body with the arguments
    put in, one for each parameter, and raises SourceError where they do not fit. The same arguments give the same
    function again.
    """

    span: Span
    name: str
    kernel: bool
    parameters: tuple[TemplateParameter, ...]
    signature: tuple[Parameter, ...]
    instantiate: Callable[[tuple[CType | FunctionName | int | float | bool, ...]], Function]


@dataclass(frozen=True, slots=True)
class Program:
    """One `.cu` file: its text as written, and what it declares, after the preprocessor.

    `skipped` tells what was left out, by name, with the reason: host variables, for instance. Using one of
    these names in device code is refused with that reason. `included` are the local files that were
    read, name and text, `missing` the names of those that were not found. `unread` are the kernels that cannot
    be read, each with the error: the others of the file run.
    `members` grows: instances of templates put the functions there of the structs that they are first to name.
    """

    file: str
    text: str
    defines: tuple[tuple[str, str], ...]
    functions: tuple[Function, ...]
    variables: tuple[Variable, ...]
    templates: tuple[Template, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    included: tuple[tuple[str, str], ...] = ()
    missing: tuple[str, ...] = ()
    unread: tuple[tuple[str, SourceError], ...] = ()
    members: list[Function] = field(default_factory=list, compare=False, repr=False)
    statics: Mapping[str, tuple[Scalar, int | float | bool]] = field(
        default_factory=dict, compare=False, repr=False
    )
    structs: Mapping[str, Struct] = field(default_factory=dict, compare=False, repr=False)
    member_templates: list[Template] = field(default_factory=list, compare=False, repr=False)

    @property
    def excuse(self) -> str:
        """What may explain a name that nobody knows, to be put behind the message."""
        return f"; {', '.join(self.missing[:3])} was not found" if self.missing else ""

    @property
    def kernels(self) -> tuple[Function, ...]:
        """The `__global__` functions, in file order."""
        return tuple(f for f in self.functions if f.kernel)
