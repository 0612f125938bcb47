"""What the names in a program mean to its instrumentation: which of them stand for memory."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from kernels.frontend import ast
from kernels.frontend.ast import Expr
from kernels.frontend.types import Array, Pointer, Reference, Struct

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kernels.frontend.ast import Program, Span
    from kernels.frontend.types import CType

LITERAL: Final = (ast.Number, ast.String, ast.SizeOf)
"""Expressions that are the same whenever they are evaluated."""

Where = Literal["register", "memory", "either"]


@dataclass(frozen=True, slots=True)
class Known:
    """A name's type, whether it is a register, memory, or (a reference) perhaps either, and its declaration."""

    type: CType
    where: Where
    span: Span


class Names:
    """Scopes while the tree is walked.

    `addressed` are variables, by name and span, that live in memory because their address is taken.
    """

    def __init__(self, program: Program, addressed: frozenset[tuple[str, Span]]) -> None:
        self._addressed = addressed
        self._scopes: list[dict[str, Known]] = [{}]
        for variable in (*program.variables, *program.constants.values()):
            in_memory = variable.space != "auto" or isinstance(variable.type, Array)
            self._scopes[0][variable.name] = Known(variable.type, "memory" if in_memory else "register", variable.span)

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Names declared inside end with it."""
        self._scopes.append({})
        try:
            yield
        finally:
            self._scopes.pop()

    @contextmanager
    def function(self) -> Iterator[None]:
        """Inside, names of the function around are not visible."""
        outside = self._scopes
        self._scopes = [outside[0], {}]
        try:
            yield
        finally:
            self._scopes = outside

    def declare(self, variable: ast.Variable | ast.Parameter) -> Where:
        """Make a name visible until its scope ends; returns where it lives."""
        where = self.where(variable)
        self._scopes[-1][variable.name] = Known(variable.type, where, variable.span)
        return where

    def where(self, variable: ast.Variable | ast.Parameter) -> Where:
        """Return where a variable of a function lives."""
        if isinstance(variable.type, Reference):
            return "either"
        shared = isinstance(variable, ast.Variable) and variable.space != "auto"
        addressed = (variable.name, variable.span) in self._addressed
        return "memory" if shared or addressed or has_array(variable.type) else "register"

    def find(self, name: str) -> Known | None:
        """Return what a name means here; None for built-in names."""
        return next((scope[name] for scope in reversed(self._scopes) if name in scope), None)

    def kind(self, node: Expr) -> CType | None:
        """Type of a place, None where only the compiler knows it."""
        match node:
            case ast.Name():
                known = self.find(node.id)
                kind = None if known is None else known.type
                return kind.to if isinstance(kind, Reference) else kind
            case ast.Index() | ast.Unary(op="*"):
                base = self.kind(node.base if isinstance(node, ast.Index) else node.operand)
                return base.of if isinstance(base, Array) else base.to if isinstance(base, Pointer) else None
            case ast.Member():
                struct = self.kind(node.base)
                field = struct.field(node.field) if isinstance(struct, Struct) else None
                return field.type if field is not None else None
            case ast.Cast():
                return node.type
        return None

    def accesses(self, node: Expr) -> bool:
        """Whether using the value of an expression, not of its parts, reads memory."""
        match node:
            case ast.Name():
                known = self.find(node.id)
                inside = known is not None and known.where != "register"
            case ast.Index() | ast.Unary(op="*"):
                inside = True
            case ast.Member():
                inside = self.accesses(node.base)
            case _:
                inside = False
        return inside and not isinstance(self.kind(node), Array)

    def shows(self, node: Expr) -> bool:
        """Whether it can be seen when an expression is evaluated: it accesses memory or changes something."""
        return any(
            isinstance(part, ast.Assign | ast.Update | ast.Call) or (isinstance(part, Expr) and self.accesses(part))
            for part in below(node)
        )

    def unordered(self, operands: tuple[Expr, ...]) -> bool:
        """Whether the order in which operands are evaluated can be seen."""
        moving = [node for node in operands if not isinstance(node, LITERAL)]
        return sum(map(self.shows, moving)) > 1 or (len(moving) > 1 and any(map(_changes, moving)))


def _changes(node: Expr) -> bool:
    """Whether evaluating an expression assigns something."""
    return any(isinstance(part, ast.Assign | ast.Update) for part in below(node))


def below(node: Any) -> Iterator[Any]:
    """Yield a node, or those of a tuple, and every node inside that is evaluated: not what `sizeof` is asked about."""
    if isinstance(node, tuple):
        for child in node:
            yield from below(child)
        return
    yield node
    if is_dataclass(node) and not isinstance(node, ast.SizeOf):
        for field in fields(node):
            value = getattr(node, field.name)
            for child in value if isinstance(value, tuple) else (value,):
                if hasattr(child, "span"):
                    yield from below(child)


def has_array(kind: CType) -> bool:
    """Whether a variable of a type is indexed inside, which registers are not."""
    return isinstance(kind, Array) or (
        isinstance(kind, Struct) and (kind.union or any(has_array(field.type) for field in kind.fields))
    )
