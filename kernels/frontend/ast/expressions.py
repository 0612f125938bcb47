"""Expressions: what has a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from kernels.frontend.ast.declarations import Function
    from kernels.frontend.ast.span import Span
    from kernels.frontend.types import CType, Scalar


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
    """`target op value`, op from `=`, `+=`, `-=` and so on.

    `initial` is the one by which a constructor gives a member its first value: no `operator=` is called for it.
    """

    span: Span
    op: str
    target: Expr
    value: Expr
    initial: bool = False


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
    `values` are variables of its own, `[n = 3]`.
    """

    span: Span
    by_value: bool
    copies: tuple[str, ...]
    mutable: bool
    code: Function
    values: tuple[tuple[str, Expr], ...] = ()


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
