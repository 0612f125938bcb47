"""Statements: what a function does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from kernels.frontend.ast.expressions import Expr
    from kernels.frontend.ast.span import Span
    from kernels.frontend.types import CType

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
class Goto:
    """`goto name;`."""

    span: Span
    name: str


@dataclass(frozen=True, slots=True)
class Label:
    """`name:`, in front of the statement after it."""

    span: Span
    name: str


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


Statement = Declare | Do | Block | If | For | While | Break | Continue | Goto | Label | Return | Switch | Assembly
