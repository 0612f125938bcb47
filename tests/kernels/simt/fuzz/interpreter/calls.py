"""Calls of one thread: functions of the program, templates and overloads, and CUDA's functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.frontend import ast
from kernels.frontend.types import INT, Reference, Void
from tests.kernels.simt.fuzz.interpreter import builtins
from tests.kernels.simt.fuzz.interpreter.expressions import Expressions, Request
from tests.kernels.simt.fuzz.interpreter.values import Typed, convert, decode, size, wrap

if TYPE_CHECKING:
    from kernels.frontend.ast import Function, Statement
    from tests.kernels.simt.fuzz.interpreter.expressions import Waiting


class Calls(Expressions):
    """A thread that calls functions."""

    def _call(self, node: ast.Call) -> Waiting:
        name = node.function
        if name.startswith("__syncthreads"):
            given = yield from self._values(node.arguments)
            answer = yield Request("block", name, tuple(given))
            self.barriers += 1
            return answer
        if name.endswith("_sync") or name == "__syncwarp":
            given = yield from self._values(node.arguments)
            return (yield Request("warp", name, tuple(given)))
        if name == "printf":
            return (yield from self._printf(node))
        if name in builtins.ATOMIC:
            return (yield from self._atomic(node))
        if name in ("__ldg", "__threadfence", "__threadfence_block"):
            if name != "__ldg":
                return Void(), 0
            kind, address = yield from self._value(node.arguments[0])
            return self._load(kind.to, address)
        if name.startswith("."):
            name = f"{self.kind(node.arguments[0])}::{name[1:]}"
        for template in self._program.templates:
            if template.name == name:
                known = self._deduced(template, node)
                made = self._instances.instantiate(template, tuple(known[p.name] for p in template.parameters))
                return (yield from self._user(made, node))
        if any(f.name == name for f in self._program.functions):
            return (yield from self._user(self._overload(name, [self.kind(a) for a in node.arguments]), node))
        found = builtins.call(name, (yield from self._values(node.arguments)))
        assert found is not None, name
        return found

    def _user(self, function: Function, node: ast.Call) -> Waiting:
        """Call one of the program's functions: the arguments in order, a reference as the place it names."""
        given: list[Typed] = []
        for parameter, argument in zip(function.parameters, node.arguments, strict=False):
            if isinstance(parameter.type, Reference):
                _, address = yield from self._place(argument)
                given.append((parameter.type, address))
            else:
                given.append((yield from self._value(argument, parameter.type)))
        for parameter in function.parameters[len(given) :]:
            assert parameter.default is not None
            given.append((yield from self._value(parameter.default)))
        return (yield from self._invoke(function, given))

    def _invoke(self, function: Function, given: list[Typed]) -> Waiting:
        kept, self._scopes = (self._scopes, self._returns), [{}]
        self._returns = function.returns
        for parameter, (kind, value) in zip(function.parameters, given, strict=True):
            if isinstance(parameter.type, Reference):
                if not isinstance(kind, Reference):
                    value = self._declare("", kind, value)
                self._scopes[-1][parameter.name] = parameter.type.to, value
            else:
                self._declare(parameter.name, parameter.type, convert(value, kind, parameter.type))
        left = yield from self._statement(function.body)
        self._scopes, self._returns = kept
        if left is None or left.value is None:
            return Void(), 0
        kind, value = left.value
        return function.returns, convert(value, kind, function.returns)

    def _atomic(self, node: ast.Call) -> Waiting:
        kind, address = yield from self._value(node.arguments[0])
        given = yield from self._values(node.arguments[1:])
        target = kind.to
        old = decode(target, self._store.read(address, size(target)))
        new = builtins.ATOMIC[node.function](old, *(convert(v, k, target) for k, v in given))
        self._put(target, address, wrap(new, target) if isinstance(new, int) else new, "atomic")
        return target, old

    def _printf(self, node: ast.Call) -> Waiting:
        assert isinstance(node.arguments[0], ast.String)
        given = yield from self._values(node.arguments[1:])
        text = node.arguments[0].value.replace("%ll", "%").replace("%u", "%d")
        self._store.printed.append(text % tuple(value for _, value in given))
        return INT, len(given)

    def _statement(self, node: Statement | None) -> Waiting:
        raise NotImplementedError
