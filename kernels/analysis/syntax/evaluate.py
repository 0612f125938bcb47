"""Evaluation of scalar expressions for many lanes, and substitution of numbers for names."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from kernels.analysis.syntax.walk import qualified_name, rewrite
from kernels.frontend import render
from kernels.frontend.arithmetic import ARITHMETIC, BITWISE, COMPARISON, remainder, truncating_divide
from kernels.frontend.ast import Binary, Cast, Conditional, Expr, Member, Name, Number, Unary, Update
from kernels.frontend.ast.traversal import children
from kernels.frontend.types import INT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    Column = NDArray[Any]


class Numbers(Protocol):
    """Values of names, one for each lane."""

    @property
    def lanes(self) -> NDArray[np.int32]:
        """Lanes that have values."""

    def get(self, name: str) -> NDArray[np.generic] | None:
        """Return the values of a name; None if they are not known."""


_LOGICAL: Final = {"&&": np.logical_and, "||": np.logical_or}
_INTEGERS: Final[dict[str, Callable[[Any, Any], Any]]] = {**BITWISE, "<<": np.left_shift, ">>": np.right_shift}
"""Operators that take integers only."""

_OPERATORS: Final[Mapping[str, Callable[[Any, Any], Any]]] = {**ARITHMETIC, **COMPARISON, **_LOGICAL, **_INTEGERS}

_INT64_LIMIT: Final = 2.0**63
"""The smallest float that does not fit into an int64."""


def values(node: Expr, names: Numbers) -> Column | None:
    """Evaluate an expression for every lane of `names`, integers as int64.

    None if it reads an array, calls a function, assigns, or has a name without a known value. Integers do not wrap.
    """
    match node:
        case Number():
            return np.full(len(names.lanes), node.value)
        case Name() | Member():
            found = names.get(qualified_name(node))
            return found.astype(np.int64) if found is not None and found.dtype.kind in "iub" else found
        case Cast():
            inner = values(node.operand, names)
            dtype = getattr(node.type, "dtype", None)
            if inner is None or dtype is None:
                return None
            if inner.dtype.kind == "f" and dtype.kind in "iu" and not (np.abs(inner) < _INT64_LIMIT).all():
                return None  # the result is undefined in C and depends on the hardware
            return inner.astype(np.int64) if dtype.kind in "iu" else inner.astype(dtype)
        case Unary(op="-" | "+" | "!" | "~"):
            inner = values(node.operand, names)
            return None if inner is None else _unary(node.op, inner)
        case Binary():
            left, right = values(node.left, names), values(node.right, names)
            return None if left is None or right is None else _binary(node.op, left, right)
        case Conditional():
            parts = [values(part, names) for part in (node.condition, node.then, node.otherwise)]
            if any(part is None for part in parts):
                return None
            condition, then, otherwise = (np.asarray(part) for part in parts)
            return np.where(condition != 0, then, otherwise)
    return None


def _unary(op: str, inner: Column) -> Column | None:
    if op == "!":
        return np.equal(inner, 0)
    if inner.dtype.kind == "b":
        inner = inner.astype(np.int64)
    if op == "~":
        return np.invert(inner) if inner.dtype.kind == "i" else None
    return np.negative(inner) if op == "-" else inner


def _binary(op: str, left: Column, right: Column) -> Column | None:
    if op not in _LOGICAL:
        left, right = (c.astype(np.int64) if c.dtype.kind == "b" else c for c in (left, right))
    whole = left.dtype.kind in "iu" and right.dtype.kind in "iu"
    if op in ("/", "%"):
        return _divide(op, left, right, whole)
    if op not in _OPERATORS or (op in _INTEGERS and not whole):
        return None
    result: Column = _OPERATORS[op](left, right)
    return result


def _divide(op: str, left: Column, right: Column, whole: bool) -> Column | None:
    """Divide as C does, towards zero."""
    if not (right != 0).all() or (op == "%" and not whole):
        return None
    if not whole:
        ratio: Column = np.divide(left, right)
        return ratio
    result: Column = (truncating_divide if op == "/" else remainder)(left, right)
    return result


def without_updates(node: Expr) -> Expr:
    """Replace `i++` by i and `++i` by i + 1: their values in terms of i before the statement."""

    def change(part: Expr) -> Expr | None:
        if not isinstance(part, Update):
            return None
        return Binary(part.span, part.op[0], part.target, Number(part.span, 1, INT)) if part.prefix else part.target

    return rewrite(node, change)


def substitute(node: Expr, names: Numbers) -> str:
    """Return C text with every name replaced by its value in the first lane: `0*3 + 1*2 + 1`."""
    shown: dict[str, str] = {}
    for name in {qualified_name(part) for part in _leaves(node)} - {""}:
        found = names.get(name)
        if found is not None:
            shown[name] = number_text(found[0].item())
    return render(node, shown).replace(" * ", "*").replace(" / ", "/")


def number_text(value: float | bool) -> str:
    """Write a number in its shortest form: 91, 0.5; NaN and ∞ as the picture does."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "∞" if value > 0 else "-∞"
    return f"{value:.7g}" if isinstance(value, float) else str(int(value))


def simplify(node: Expr, numbers: Mapping[str, int]) -> Expr:
    """Replace names by numbers and fold arithmetic of integers."""
    if isinstance(node, Name | Member) and qualified_name(node) in numbers:
        return Number(node.span, numbers[qualified_name(node)], INT)
    if isinstance(node, Binary) and node.op in ("+", "-", "*", "/", "%"):
        left, right = simplify(node.left, numbers), simplify(node.right, numbers)
        return _fold(Binary(node.span, node.op, left, right))
    return node


def _fold(node: Binary) -> Expr:
    left, right = _integer_value(node.left), _integer_value(node.right)
    if left is not None and right is not None:
        value = _integer_result(node.op, left, right)
        return node if value is None else Number(node.span, value, INT)
    if node.op == "*":
        if 0 in (left, right):
            return Number(node.span, 0, INT)
        return node.right if left == 1 else node.left if right == 1 else node
    if node.op in ("/", "%"):
        return node.left if (node.op, right) == ("/", 1) else node
    if right == 0:
        return node.left
    return node.right if left == 0 and node.op == "+" else node


def _integer_result(op: str, left: int, right: int) -> int | None:
    """Return the result of an operator of C; None for divisions by 0 and of negative numbers."""
    if op in "/%":
        if left < 0 or right <= 0:
            return None
        return left // right if op == "/" else left % right
    return int(ARITHMETIC[op](left, right))


def _integer_value(node: Expr) -> int | None:
    return node.value if isinstance(node, Number) and isinstance(node.value, int) else None


def _leaves(node: Expr) -> list[Expr]:
    if isinstance(node, Name | Member):
        return [node]
    return [leaf for child in children(node) for leaf in _leaves(child)]
