"""One thread: walks the typed tree, statement by statement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernels.frontend import ast
from kernels.frontend.types import AUTO, INT, Array, Reference
from tests.kernels.simt.fuzz.interpreter.calls import Calls
from tests.kernels.simt.fuzz.interpreter.values import Typed, Value, convert, leaf_bytes, size

if TYPE_CHECKING:
    from kernels.frontend.ast import Function, Statement
    from tests.kernels.simt.fuzz.interpreter.expressions import Waiting


@dataclass(frozen=True)
class Left:
    """How a statement was left other than by its end."""

    how: str
    value: Typed | None = None


class Thread(Calls):
    """A thread of a launch."""

    def run(self, kernel: Function, arguments: dict[str, Value]) -> Waiting:
        for parameter in kernel.parameters:
            self._declare(parameter.name, parameter.type, arguments[parameter.name])
        yield from self._statement(kernel.body)

    def _statement(self, node: Statement | None) -> Waiting:
        match node:
            case ast.Block():
                self._scopes.append({})
                left = yield from self._sequence(node.body)
                self._scopes.pop()
                return left
            case ast.Declare():
                for variable in node.variables:
                    yield from self._variable(variable)
            case ast.Do():
                yield from self._value(node.expression)
            case ast.If():
                if (yield from self._truth(node.condition)):
                    return (yield from self._statement(node.then))
                return (yield from self._statement(node.otherwise))
            case ast.For() | ast.While():
                self._scopes.append({})
                left = yield from self._loop(node)
                self._scopes.pop()
                return left
            case ast.Switch():
                return (yield from self._switch(node))
            case ast.Break():
                return Left("break")
            case ast.Continue():
                return Left("continue")
            case ast.Return(value=value):
                return Left("return", None if value is None else (yield from self._value(value, self._returns)))
        return None

    def _sequence(self, body: tuple[Statement, ...]) -> Waiting:
        for child in body:
            left = yield from self._statement(child)
            if left is not None:
                return left
        return None

    def _loop(self, node: ast.For | ast.While) -> Waiting:
        if isinstance(node, ast.For):
            yield from self._statement(node.start)
        first = isinstance(node, ast.While) and node.first
        while first or node.condition is None or (yield from self._truth(node.condition)):
            first = False
            left = yield from self._statement(node.body)
            if left is not None and left.how == "break":
                return None
            if left is not None and left.how == "return":
                return left
            if isinstance(node, ast.For) and node.step is not None:
                yield from self._value(node.step)
        return None

    def _switch(self, node: ast.Switch) -> Waiting:
        _, wanted = yield from self._value(node.value)
        chosen = None
        for number, case in enumerate(node.cases):
            for label in case.values:
                if (yield from self._value(label))[1] == wanted:
                    chosen = number
        if chosen is None:
            chosen = next((n for n, case in enumerate(node.cases) if case.default), len(node.cases))
        self._scopes.append({})
        left = yield from self._sequence(tuple(s for case in node.cases[chosen:] for s in case.body))
        self._scopes.pop()
        return None if left is not None and left.how == "break" else left

    def _variable(self, variable: ast.Variable) -> Waiting:
        kind, value = variable.type, variable.value
        if variable.space == "shared":
            self._scopes[-1][variable.name] = kind, self._shared[variable]
        elif isinstance(kind, Array):
            address = self._store.allocate(variable.name, kind.size_bytes, leaf_bytes(kind))
            self._scopes[-1][variable.name] = kind, address
            if isinstance(value, tuple):
                values = yield from self._values(value)
                for position in range(kind.size_bytes // size(kind.element)):
                    source, found = values[position] if position < len(values) else (INT, 0)
                    at = address + position * size(kind.element)
                    self._put(kind.element, at, convert(found, source, kind.element))
        elif isinstance(kind, Reference):
            assert value is not None
            assert not isinstance(value, tuple)
            self._scopes[-1][variable.name] = yield from self._place(value)
        elif value is None:
            self._declare(variable.name, kind, None)
        else:
            if isinstance(value, tuple):
                value = ast.Construct(variable.span, kind, value)
            source, found = yield from self._value(value, kind)
            if kind == AUTO:
                kind = source
            self._declare(variable.name, kind, convert(found, source, kind))
