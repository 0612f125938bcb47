"""Names in scope while a program is instrumented, and whether each is a register or memory."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from kernels.frontend import ast
from kernels.frontend.ast import Expr
from kernels.frontend.types import Array, Pointer, Reference, Struct

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kernels.frontend.ast import Span
    from kernels.frontend.types import CType

LITERAL: Final = (ast.Number, ast.String, ast.SizeOf)
"""Constant expressions: their order of evaluation never matters."""

Where = Literal["register", "memory", "either"]


@dataclass(frozen=True, slots=True)
class Symbol:
    """A declared name."""

    type: CType
    where: Where
    """Storage; a reference may refer to either."""
    span: Span
    """Declaration."""


class Names:
    """The scopes around the construct that is being written.

    Parameters
    ----------
    variables : iterable of Variable
        Those outside of functions, which are visible everywhere.
    addressed : set of (name, span)
        Variables that are in memory because their address is taken.
    """

    def __init__(self, variables: Iterable[ast.Variable], addressed: frozenset[tuple[str, Span]]) -> None:
        self._addressed = addressed
        self._scopes: list[dict[str, Symbol]] = [{}]
        for variable in variables:
            in_memory = variable.space != "auto" or isinstance(variable.type, Array)
            self._scopes[0][variable.name] = Symbol(variable.type, "memory" if in_memory else "register", variable.span)

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Open a scope; names declared in it are removed at its end."""
        self._scopes.append({})
        try:
            yield
        finally:
            self._scopes.pop()

    @contextmanager
    def function(self) -> Iterator[None]:
        """Open the scope of a function, in which names of its caller are not visible."""
        outside = self._scopes
        self._scopes = [outside[0], {}]
        try:
            yield
        finally:
            self._scopes = outside

    def declare(self, variable: ast.Variable | ast.Parameter) -> Where:
        """Make a name visible until its scope ends; return its storage."""
        where = self.where(variable)
        self._scopes[-1][variable.name] = Symbol(variable.type, where, variable.span)
        return where

    def where(self, variable: ast.Variable | ast.Parameter) -> Where:
        """Return the storage of a variable of a function."""
        if isinstance(variable.type, Reference):
            return "either"
        shared = isinstance(variable, ast.Variable) and variable.space != "auto"
        addressed = (variable.name, variable.span) in self._addressed
        return "memory" if shared or addressed or has_array(variable.type) else "register"

    def find(self, name: str) -> Symbol | None:
        """Return the innermost declaration of a name; None for a built-in name."""
        return next((scope[name] for scope in reversed(self._scopes) if name in scope), None)

    def kind(self, node: Expr) -> CType | None:
        """Return the type of an lvalue; None where the text leaves it to the compiler."""
        match node:
            case ast.Name():
                symbol = self.find(node.id)
                kind = None if symbol is None else symbol.type
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
        """Return whether using the value of an expression, not of its parts, reads memory."""
        match node:
            case ast.Name():
                symbol = self.find(node.id)
                inside = symbol is not None and symbol.where != "register"
            case ast.Index() | ast.Unary(op="*"):
                inside = True
            case ast.Member():
                inside = self.accesses(node.base)
            case _:
                inside = False
        return inside and not isinstance(self.kind(node), Array)

    def has_effects(self, node: Expr) -> bool:
        """Return whether the moment of evaluation matters: the expression accesses memory, assigns or calls."""
        return any(
            isinstance(part, ast.Assign | ast.Update | ast.Call) or (isinstance(part, Expr) and self.accesses(part))
            for part in below(node)
        )

    def order_matters(self, operands: Sequence[Expr]) -> bool:
        """Return whether two orders of evaluation can give different results or different logs."""
        variable = [node for node in operands if not isinstance(node, LITERAL)]
        return sum(map(self.has_effects, variable)) > 1 or (len(variable) > 1 and any(map(_assigns, variable)))


def _assigns(node: Expr) -> bool:
    """Return whether evaluating an expression assigns something."""
    return any(isinstance(part, ast.Assign | ast.Update) for part in below(node))


def below(node: Any) -> Iterator[Any]:
    """Yield a node (or those of a tuple) and all evaluated nodes in it: the operand of `sizeof` is not evaluated."""
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
    """Return whether a type contains an array or a union: the simulator keeps such variables in memory."""
    return isinstance(kind, Array) or (
        isinstance(kind, Struct) and (kind.union or any(has_array(field.type) for field in kind.fields))
    )
