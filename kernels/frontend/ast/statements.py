"""Nodes of statements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from kernels.frontend.ast.expressions import Expr
    from kernels.frontend.ast.span import Span
    from kernels.frontend.types import CType

Space = Literal["auto", "shared", "constant", "global"]
"""Memory space of a variable: `auto` is a register or, for an array, local memory."""


@dataclass(frozen=True, slots=True)
class Variable:
    """One declared variable."""

    span: Span
    name: str
    type: CType
    space: Space = "auto"
    const: bool = False
    dynamic: bool = False
    """True if it is `extern __shared__`."""
    value: Expr | tuple[Expr, ...] | None = None
    """Initialiser: an expression, the values of an array, or None."""


@dataclass(frozen=True, slots=True)
class Declare:
    """A declaration statement, with one Variable for each declarator."""

    span: Span
    variables: tuple[Variable, ...]


@dataclass(frozen=True, slots=True)
class Do:
    """An expression statement: an assignment, a call, an update."""

    span: Span
    expression: Expr


@dataclass(frozen=True, slots=True)
class Block:
    """`{ … }`."""

    span: Span
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class If:
    """`if (condition) then else otherwise`."""

    span: Span
    header: Span
    """From `if` to the closing parenthesis."""
    condition: Expr
    then: Statement
    otherwise: Statement | None


@dataclass(frozen=True, slots=True)
class For:
    """`for (start; condition; step) body`."""

    span: Span
    header: Span
    """From `for` to the closing parenthesis."""
    start: Statement | None
    condition: Expr | None
    step: Expr | None
    body: Statement


@dataclass(frozen=True, slots=True)
class While:
    """`while (condition) body`, or do-while."""

    span: Span
    header: Span
    condition: Expr
    body: Statement
    first: bool = False
    """True if it is a do-while: the body runs once before the first test."""


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
    """Labels of a switch and the statements up to the next label."""

    span: Span
    values: tuple[Expr, ...]
    default: bool
    """True if `default:` is among the labels."""
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Switch:
    """`switch (value) { case … }`; a case without a break falls through to the next."""

    span: Span
    header: Span
    value: Expr
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class Assembly:
    """An asm statement: `asm volatile("template" : outputs : inputs);`."""

    span: Span
    template: str
    outputs: tuple[tuple[str, Expr], ...]
    """Constraint and lvalue of each output operand."""
    inputs: tuple[tuple[str, Expr], ...]
    """Constraint and value of each input operand."""


Statement = Declare | Do | Block | If | For | While | Break | Continue | Goto | Label | Return | Switch | Assembly
