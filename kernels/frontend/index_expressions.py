"""Index expressions of a kernel: what they are made of, their values in a thread, and the bounds that guard them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, get_args

from kernels.errors import InputError
from kernels.frontend import ast
from kernels.frontend.ast.traversal import below
from kernels.frontend.constant_expressions import evaluate
from kernels.frontend.unparse.expressions import render

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kernels.frontend.ast import Expr, Function
    from kernels.frontend.constant_expressions import Value
    from kernels.launch import Dim3

_BUILT_IN: Final = ("threadIdx", "blockIdx", "blockDim", "gridDim")
_COMPARISONS: Final = ("<", "<=", ">", ">=")
_ROUNDS: Final = 4
"""Rounds in which sources are collected: a variable may depend on others, a few levels deep."""


@dataclass(frozen=True, slots=True)
class Guard:
    """A comparison of an index, which depends on the thread, with a bound, which does not."""

    index: Expr
    bound: Expr


class Indices:
    """The variables of a kernel and the expressions that they are made of."""

    def __init__(self, function: Function) -> None:
        self.nodes = below(function.body)
        self.locals: dict[str, Expr] = {}
        """First values of variables, and of the members of a vector that `make_int2` and its like return."""
        self.changed: set[str] = set()
        """Variables that a loop changes: `i += stride`, `++i`."""
        for node in self.nodes:
            match node:
                case ast.Variable(name=name, value=value) if isinstance(value, get_args(ast.Expr)):
                    self.locals.setdefault(name, value)
                    if isinstance(value, ast.Call) and value.function.startswith("make_"):
                        parts = zip("xyzw", value.arguments, strict=False)
                        self.locals |= {f"{name}.{field}": part for field, part in parts}
                case ast.Update(target=ast.Name(id=name)):
                    self.changed.add(name)
                case ast.Assign(target=ast.Name(id=name), op=op, value=value):
                    if op != "=" or name in _names(value):
                        self.changed.add(name)
        for node in self.nodes:
            if isinstance(node, ast.Assign) and isinstance(node.target, ast.Name):
                self.locals.setdefault(node.target.id, node.value)
        self.names = frozenset(
            name for node in self.nodes if isinstance(node, ast.Name | ast.Member) for name in [render(node)]
        )
        """Names and members that occur in the kernel: `n`, `image.width`."""
        self.limits = frozenset(
            int(side.value)
            for node in self.nodes
            if isinstance(node, ast.Binary) and node.op in (*_COMPARISONS, "%")
            for side in (node.left, node.right)
            if isinstance(side, ast.Number)
        )
        """Numbers that limit an index: `i < 6`, `key % 8`."""
        self._sources: dict[str, frozenset[str]] = {}
        for _ in range(_ROUNDS):
            for name, value in self.locals.items():
                self._sources[name] = self.sources(value) | ({name} & self.changed)
        self.guards = tuple(self._guards())

    def sources(self, expression: Expr) -> frozenset[str]:
        """Return the coordinates, parameters, constants, arrays and changed variables that an expression is made of."""
        return frozenset().union(*map(self.variable_sources, _names(expression)))

    def variable_sources(self, name: str) -> frozenset[str]:
        """Return the sources of a variable's first value, and the variable itself if a loop changes it."""
        return self._sources.get(name, frozenset((name,)))

    def value(self, expression: Expr, numbers: Mapping[str, Value]) -> int | None:
        """Return the value of an expression with some names, other variables having their first value; None without."""
        known = dict(numbers)
        self._evaluate_locals(expression, known, set())
        try:
            return int(evaluate(expression, known))
        except (InputError, ValueError, OverflowError):
            return None

    def _evaluate_locals(self, expression: Expr, known: dict[str, Value], begun: set[str]) -> None:
        """Add the values of the variables in an expression that have one."""
        for name in (_names(expression) & self.locals.keys()) - known.keys() - begun:
            begun.add(name)  # a variable may depend on itself
            self._evaluate_locals(self.locals[name], known, begun)
            with suppress(InputError):
                known[name] = evaluate(self.locals[name], known)

    def _guards(self) -> Iterator[Guard]:
        for node in self.nodes:
            match node:
                case ast.Binary(op=op, left=left, right=right) if op in _COMPARISONS:
                    sides = (left, right)
                case ast.Call(function="min", arguments=(left, right)):
                    sides = (left, right)
                case _:
                    continue
            for index, bound in (sides, sides[::-1]):
                fixed = self.sources(bound)
                if moves(self.sources(index)) and not moves(fixed) and not fixed & self.changed:
                    yield Guard(index, bound)


def moves(sources: frozenset[str]) -> bool:
    """Return whether an expression differs between threads."""
    return any(source.startswith(("threadIdx.", "blockIdx.")) for source in sources)


def coordinates(thread: Dim3, block: Dim3, block_dim: Dim3, grid_dim: Dim3) -> dict[str, Value]:
    """Return the built-in coordinates of a thread by name: `threadIdx.x` and so on."""
    vectors = zip(_BUILT_IN, (thread, block, block_dim, grid_dim), strict=True)
    return {f"{name}.{axis}": number for name, vector in vectors for axis, number in zip("xyz", vector, strict=True)}


def _names(expression: Expr) -> set[str]:
    """Return the names and members in an expression; not the base of a member."""
    nodes = below(expression)
    bases = {id(node.base) for node in nodes if isinstance(node, ast.Member)}
    return {render(node) for node in nodes if isinstance(node, ast.Name | ast.Member) and id(node) not in bases}
