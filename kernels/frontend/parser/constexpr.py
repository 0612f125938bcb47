"""Evaluation of constexpr functions during parsing: array lengths, template arguments, conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.cancellation import checkpoint
from kernels.errors import InputError
from kernels.frontend import ast
from kernels.frontend.constant_expressions import Names, convert, evaluate
from kernels.frontend.types import AUTO, BOOL, DOUBLE, INT, LONG, CType, Named, Scalar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kernels.frontend.constant_expressions import Value
    from kernels.frontend.types import Argument

    Instantiate = Callable[[ast.Template, tuple[Argument | None, ...]], ast.Function]

MAX_STEPS: Final = 10_000
"""Maximum number of statements that one call executes, including the functions that it calls."""

MAX_FILE_STEPS: Final = 10 * MAX_STEPS
"""Maximum number of statements that all calls in a file execute."""

_MAX_DEPTH: Final = 64

Ending = str | int | float | bool
"""Exit of a statement other than by its end: "break", "continue", or the value that it returns."""


class TooLong(InputError):
    """A constexpr function runs longer than allowed."""


class Constexpr:
    """Interprets constexpr functions."""

    def __init__(self, instantiate: Instantiate) -> None:
        self._instantiate = instantiate
        self._functions: dict[str, list[ast.Function]] = {}
        self._templates: dict[str, list[ast.Template]] = {}
        self._prototypes: dict[str, list[ast.Template]] = {}
        self._depth = self._steps_left = 0
        self._file_steps_left = MAX_FILE_STEPS

    def add(self, function: ast.Function | ast.Template) -> None:
        """Add a function or a template."""
        if isinstance(function, ast.Function):
            self._functions.setdefault(function.name, []).append(function)
        else:
            self._templates.setdefault(function.name, []).append(function)

    def add_prototype(self, template: ast.Template) -> None:
        """Add a template without a body: it has only specialisations unless it is defined later."""
        self._prototypes[template.name] = [template]

    def __contains__(self, name: str) -> bool:
        return name in self._functions

    def call(self, node: ast.Call, values: list[Value]) -> Value:
        """Return the value of a call.

        Raises
        ------
        InputError
            If the value is not known before the kernel runs.
        """
        function = self._resolve_overload(node, values)
        if self._depth == 0:
            self._steps_left = min(MAX_STEPS, self._file_steps_left)
        if self._depth == _MAX_DEPTH:
            raise InputError(f"{node.function} calls itself too often")
        self._depth += 1
        try:
            frame = _Frame(self)
            for parameter, value in zip(function.parameters, values, strict=True):
                frame.declare(parameter.name, parameter.type, value)
            result = self.run(function.body, frame)
        finally:
            self._depth -= 1
        if result is None or isinstance(result, str):
            raise InputError(f"{node.function} returns nothing")
        return convert(result, function.returns) if isinstance(function.returns, Scalar) else result

    def _resolve_overload(self, node: ast.Call, values: list[Value]) -> ast.Function:
        count = len(values)
        # Overloads are told apart by their number of parameters only: the types of constants are not known here.
        fitting = [f for f in self._functions.get(node.function, ()) if len(f.parameters) == count]
        if len(fitting) == 1 and not node.template:
            return fitting[0]
        known = self._templates.get(node.function) or self._prototypes.get(node.function, [])
        templates = [t for t in known if len(t.signature) == count]
        if len(templates) != 1 or (fitting and not node.template):
            raise InputError(f"{node.function} is no constexpr function with {count} parameters")
        if node.template:
            arguments = tuple(a if isinstance(a, CType) else evaluate(a, {}) for a in node.template)
        else:
            arguments = _deduce_arguments(templates[0], values)
        return self._instantiate(templates[0], arguments)

    def run(self, node: ast.Statement | None, frame: _Frame) -> Ending | None:
        """Run a statement."""
        checkpoint()
        self._steps_left -= 1
        self._file_steps_left -= 1
        if self._steps_left < 0:
            # One call is limited, so that an endless loop is reported there, and all calls together, so that many
            # templates do not make the time of parsing unbounded.
            subject, limit = ("this constexpr function runs", MAX_STEPS)
            if self._file_steps_left < 0:
                subject, limit = "the constexpr functions of this file run", MAX_FILE_STEPS
            raise TooLong(f"{subject} more than {limit:,} statements; write the value as a number")
        match node:
            case None:
                return None
            case ast.Block():
                return self._first(self.run(child, frame) for child in node.body)
            case ast.Return(value=value) if value is not None:
                return evaluate(value, frame)
            # A statement returns None if it ended normally. Otherwise the enclosing loop, or the call, handles its
            # ending.
            case ast.Break() | ast.Continue():
                return type(node).__name__.lower()
            case ast.If():
                return self.run(node.then if evaluate(node.condition, frame) else node.otherwise, frame)
            case ast.For():
                self.run(node.start, frame)
                return self._loop(node.condition, node.body, node.step, frame)
            case ast.While():
                ended = self.run(node.body, frame) if node.first else None
                if ended not in (None, "continue"):
                    return None if ended == "break" else ended
                return self._loop(node.condition, node.body, None, frame)
            case ast.Do():
                evaluate(node.expression, frame)
                return None
            case ast.Declare():
                for variable in node.variables:
                    if isinstance(variable.value, tuple):
                        raise InputError("an array has no value before the kernel runs")
                    first = evaluate(variable.value, frame) if variable.value is not None else 0
                    frame.declare(variable.name, variable.type, first)
                return None
        raise InputError(f"{type(node).__name__.lower()} in a constexpr function")

    def _first(self, endings: Iterator[Ending | None]) -> Ending | None:
        return next((ending for ending in endings if ending is not None), None)

    def _loop(
        self, condition: ast.Expr | None, body: ast.Statement, step: ast.Expr | None, frame: _Frame
    ) -> Ending | None:
        while condition is None or evaluate(condition, frame):
            ended = self.run(body, frame)
            if ended == "break":
                return None
            if ended not in (None, "continue"):
                return ended
            if step is not None:
                evaluate(step, frame)
        return None


def _deduce_arguments(template: ast.Template, values: list[Value]) -> tuple[CType, ...]:
    """Deduce the template arguments from the types of plain values."""
    types = {p.type: _type_of(value) for p, value in zip(template.signature, values, strict=True)}
    found = [types[Named(p.name)] for p in template.parameters if Named(p.name) in types]
    if len(found) != len(template.parameters):
        raise InputError(f"{template.name} needs template arguments")
    return tuple(found)


def _type_of(value: Value) -> Scalar:
    if isinstance(value, bool | float):
        return BOOL if isinstance(value, bool) else DOUBLE
    return INT if -(2**31) <= value < 2**31 else LONG


class _Frame(Names):
    """The variables of one call."""

    def __init__(self, functions: Constexpr) -> None:
        self._functions = functions
        self._values: dict[str, Value] = {}
        self._types: dict[str, CType] = {}

    def __getitem__(self, name: str) -> Value:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def call(self, node: ast.Call, values: list[Value]) -> Value:
        return self._functions.call(node, values)

    def declare(self, name: str, kind: CType, value: Value) -> None:
        """Declare a variable with its first value."""
        if not isinstance(kind, Scalar) and kind != AUTO:
            raise InputError(f"{kind} has no value before the kernel runs")
        self._types[name] = kind
        self._values[name] = convert(value, kind) if isinstance(kind, Scalar) else value

    def assign(self, node: ast.Assign | ast.Update) -> Value:
        """Change a variable of the call; return its new value, for `i++` and `i--` the old one."""
        if not isinstance(node.target, ast.Name) or node.target.id not in self._types:
            return super().assign(node)
        name = node.target.id
        old = self._values[name]
        if isinstance(node, ast.Update):
            new = old + (1 if node.op == "++" else -1)
        elif node.op == "=":
            new = evaluate(node.value, self)
        else:
            new = evaluate(ast.Binary(node.span, node.op[:-1], node.target, node.value), self)
        self.declare(name, self._types[name], new)
        return old if isinstance(node, ast.Update) and not node.prefix else self._values[name]
