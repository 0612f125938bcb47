"""Nodes of expressions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from kernels.frontend.ast.declarations import Function
    from kernels.frontend.ast.span import Span
    from kernels.frontend.types import CType, Scalar


@dataclass(frozen=True, slots=True)
class Name:
    """A variable, parameter, built-in such as threadIdx, or a function that is not called."""

    span: Span
    id: str
    template: tuple[CType | Expr, ...] = ()
    """Template arguments of `function<…>`."""


@dataclass(frozen=True, slots=True)
class Number:
    """A numeric literal, with the type that its suffix and value determine."""

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
    initial: bool = False
    """True if it initialises a member in a constructor: no `operator=` is called."""


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
    """`base.field` (threadIdx.x); `p->field` is parsed as `(*p).field`."""

    span: Span
    base: Expr
    field: str


@dataclass(frozen=True, slots=True)
class Call:
    """`function(arguments…)`.

    `object.member(…)` is a call of ".member" with the object as first argument; the function is declared as
    "Struct::member", whose first parameter `this` is a reference. A call of a value, `f(x)` where f is a pointer to a
    function or a struct with `operator()`, is a call of ".operator()".
    """

    span: Span
    function: str
    arguments: tuple[Expr, ...]
    template: tuple[CType | Expr, ...] = ()
    """Template arguments of `function<…>(…)`: types and constants."""


@dataclass(frozen=True, slots=True)
class Construct:
    """A struct value: `float2{x, y}`, `Pair(a, b)`, or the braces of an initialiser or return.

    A constructor is declared as the function "Struct::Struct". Without a constructor, members after the last value are
    zero.
    """

    span: Span
    type: CType
    """Type of the value; AUTO if the context determines it, as in `return {a, b};`."""
    values: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Cast:
    """`(type)operand` and the C++ casts."""

    span: Span
    type: CType
    operand: Expr


@dataclass(frozen=True, slots=True)
class Lambda:
    """`[captures](parameters) { … }`."""

    span: Span
    by_value: bool
    """True if all variables are copied: `[=]`."""
    copies: tuple[str, ...]
    """Names that are copied."""
    mutable: bool
    """True if the body may change the copies."""
    code: Function
    """Parameters and body. The body sees the variables around the lambda."""
    values: tuple[tuple[str, Expr], ...] = ()
    """Init-captures: name and value of `[n = 3]`."""


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
