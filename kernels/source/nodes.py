"""The typed syntax tree: frozen nodes, each of which knows where it stands in the source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from kernels.source.types import CType, Scalar


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
    """A variable, parameter or built-in such as threadIdx."""

    span: Span
    id: str


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
    """`function(arguments…)`."""

    span: Span
    function: str
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Cast:
    """`(type)operand` and the C++ casts."""

    span: Span
    type: CType
    operand: Expr


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
    | Cast
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


Statement = Declare | Do | Block | If | For | While | Break | Continue | Return

# --- program -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a function."""

    span: Span
    name: str
    type: CType


@dataclass(frozen=True, slots=True)
class Function:
    """`__global__` (a kernel) or `__device__`."""

    span: Span
    name: str
    kernel: bool
    returns: CType
    parameters: tuple[Parameter, ...]
    body: Block


@dataclass(frozen=True, slots=True)
class Program:
    """One `.cu` file: its text as written, and what it declares, after the preprocessor."""

    file: str
    text: str
    defines: tuple[tuple[str, str], ...]
    functions: tuple[Function, ...]
    variables: tuple[Variable, ...]

    @property
    def kernels(self) -> tuple[Function, ...]:
        """The `__global__` functions, in file order."""
        return tuple(f for f in self.functions if f.kernel)
