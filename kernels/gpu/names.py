"""What the names in a program mean to its instrumentation: which of them stand for memory."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from kernels.source import nodes
from kernels.source.nodes import Expr
from kernels.source.types import Array, Pointer, Reference, Struct

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kernels.source.nodes import Function, Program
    from kernels.source.types import CType


@dataclass(frozen=True, slots=True)
class Known:
    """A name's type, and whether it is a register, memory, or (a reference) perhaps either."""

    type: CType
    where: Literal["register", "memory", "either"]


class Names:
    """Scopes while the tree is walked."""

    def __init__(self, program: Program) -> None:
        self._functions = program.functions
        self._scopes: list[dict[str, Known]] = [{}]
        for variable in program.variables:
            self.declare(variable)

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Names declared inside end with it."""
        self._scopes.append({})
        try:
            yield
        finally:
            self._scopes.pop()

    def declare(self, variable: nodes.Variable | nodes.Parameter) -> None:
        """Make a name visible until its scope ends."""
        where: Literal["register", "memory", "either"] = "register"
        if isinstance(variable, nodes.Variable) and (is_array(variable) or variable.space != "auto"):
            where = "memory"
        if isinstance(variable.type, Reference):
            where = "either"
        self._scopes[-1][variable.name] = Known(variable.type, where)

    def find(self, name: str) -> Known | None:
        """Return what a name means here; None for built-in names."""
        return next((scope[name] for scope in reversed(self._scopes) if name in scope), None)

    def kind(self, node: Expr) -> CType | None:
        """Type of a place, None where only the compiler knows it."""
        match node:
            case nodes.Name():
                known = self.find(node.id)
                kind = None if known is None else known.type
                return kind.to if isinstance(kind, Reference) else kind
            case nodes.Index() | nodes.Unary(op="*"):
                base = self.kind(node.base if isinstance(node, nodes.Index) else node.operand)
                return base.of if isinstance(base, Array) else base.to if isinstance(base, Pointer) else None
            case nodes.Member():
                struct = self.kind(node.base)
                field = struct.field(node.field) if isinstance(struct, Struct) else None
                return field.type if field is not None else None
            case nodes.Cast():
                return node.type
        return None

    def accesses(self, node: Expr) -> bool:
        """Whether using the value of an expression, not of its parts, reads memory."""
        match node:
            case nodes.Name():
                known = self.find(node.id)
                inside = known is not None and known.where != "register"
            case nodes.Index() | nodes.Unary(op="*"):
                inside = True
            case nodes.Member():
                inside = self.accesses(node.base)
            case _:
                inside = False
        return inside and not isinstance(self.kind(node), Array)

    def shows(self, node: Expr) -> bool:
        """Whether it can be seen when an expression is evaluated: it accesses memory or changes something."""
        return any(
            isinstance(part, nodes.Assign | nodes.Update | nodes.Call)
            or (isinstance(part, Expr) and self.accesses(part))
            for part in below(node)
        )

    def overloads(self, name: str, count: int) -> list[Function]:
        """Return the program's functions that a call with so many arguments can mean."""
        return [
            f
            for f in self._functions
            if f.name == name
            and count <= len(f.parameters)
            and all(p.default is not None for p in f.parameters[count:])
        ]

    def needed_by(self, kernel: Function, program: Program) -> Program:
        """Return a program with one kernel, the functions that it calls, directly or not, and their variables."""
        names, waiting, used = {kernel.name}, [kernel], set()
        while waiting:
            for part in below(waiting.pop().body):
                if isinstance(part, nodes.Name):
                    used.add(part.id)
                elif isinstance(part, nodes.Call) and part.function not in names:
                    names.add(part.function)
                    waiting += [f for f in self._functions if f.name == part.function]
        return replace(
            program,
            functions=tuple(f for f in self._functions if f.name in names and (f is kernel or not f.kernel)),
            variables=tuple(v for v in program.variables if v.space == "auto" or v.name in used),
        )


def is_array(variable: nodes.Variable) -> bool:
    """Whether a variable is an array, not a reference to one."""
    return isinstance(variable.type, Array)


def changes(node: Expr) -> bool:
    """Whether evaluating an expression assigns something."""
    return any(isinstance(part, nodes.Assign | nodes.Update) for part in below(node))


def below(node: Any) -> Iterator[Any]:
    """Yield a node and every node inside that is evaluated: not what `sizeof` is asked about."""
    yield node
    if is_dataclass(node) and not isinstance(node, nodes.SizeOf):
        for field in fields(node):
            value = getattr(node, field.name)
            for child in value if isinstance(value, tuple) else (value,):
                if hasattr(child, "span"):
                    yield from below(child)
