"""Evaluation of constant scalar expressions: array lengths, #if conditions, launch rules."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.errors import InputError
from kernels.frontend import ast
from kernels.frontend.arithmetic import ARITHMETIC, BITWISE, COMPARISON, remainder, truncating_divide
from kernels.frontend.ast import Expr
from kernels.frontend.types import Named, Scalar, Void
from kernels.frontend.unparse.expressions import render

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.frontend.types import CType

Value = int | float | bool

_MAX_SHIFT: Final = 63


def _integers(value: Callable[[int, int], int]) -> Callable[[Value, Value], Value]:
    def checked(a: Value, b: Value) -> Value:
        if isinstance(a, float) or isinstance(b, float):
            raise ArithmeticError("a whole number is needed")
        return value(int(a), int(b))

    return checked


def _divide(a: Value, b: Value) -> Value:
    if isinstance(a, float) or isinstance(b, float):
        return a / b
    quotient: int = truncating_divide(a, b)
    return quotient


def _places(b: int) -> int:
    if not 0 <= b <= _MAX_SHIFT:
        raise ArithmeticError(f"shift by {b}")
    return b


_BINARY: Final[dict[str, Callable[[Value, Value], Value]]] = {
    **ARITHMETIC,
    **COMPARISON,
    **{op: _integers(function) for op, function in BITWISE.items()},
    "<<": _integers(lambda a, b: a << _places(b)),
    ">>": _integers(lambda a, b: a >> _places(b)),
    "/": _divide,
    "%": _integers(remainder),
    ",": lambda a, b: b,
}

_CALLS: Final[dict[str, tuple[int, Callable[..., Value]]]] = {
    "min": (2, min),
    "max": (2, max),
    "abs": (1, abs),
    "ceil": (1, lambda x: float(math.ceil(x))),
    "floor": (1, lambda x: float(math.floor(x))),
}


class Names(Mapping[str, Value]):
    """A mapping of names to values that can also call functions."""

    @abstractmethod
    def call(self, node: ast.Call, values: list[Value]) -> Value:
        """Return the value of a call; raise InputError if it has none."""

    def assign(self, node: ast.Assign | ast.Update) -> Value:
        """Change a variable; return the value of the expression."""
        raise InputError(f"'{render(node)}' is not a constant expression")


def evaluate(expression: Expr, names: Mapping[str, Value]) -> Value:
    """Return the value of a pure scalar expression.

    Whole numbers do not wrap to 32 bits; `/` and `%` truncate as in C; `&&`, `||` and `?:` evaluate only the operands
    that C evaluates.

    Parameters
    ----------
    expression : Expr
        As `parse_expression` returns it.
    names : Mapping[str, int | float | bool]
        Values of the variables; `threadIdx.x` is looked up as ``"threadIdx.x"``.

    Raises
    ------
    InputError
        For a name that has no value, a division by zero, or anything that is not a pure scalar expression.
    """
    match expression:
        case ast.Number():
            return bool(expression.value) if expression.type.name == "bool" else expression.value
        case ast.Name() | ast.Member():
            return _lookup(expression, names)
        case ast.Index(base=ast.Name(id=name)):
            element = f"{name}[{evaluate(expression.index, names)}]"
            if element in names:
                return names[element]
        case ast.Unary():
            return _unary(expression, names)
        case ast.Binary(op="&&"):
            return _holds(expression.left, names) and _holds(expression.right, names)
        case ast.Binary(op="||"):
            return _holds(expression.left, names) or _holds(expression.right, names)
        case ast.Binary(op=op) if op in _BINARY:
            left, right = evaluate(expression.left, names), evaluate(expression.right, names)
            try:
                return _BINARY[op](left, right)
            except ZeroDivisionError as error:
                raise InputError(f"division by zero in '{render(expression)}'") from error
            except ArithmeticError as error:
                raise InputError(f"{error} in '{render(expression)}'") from error
        case ast.Conditional():
            chosen = expression.then if evaluate(expression.condition, names) else expression.otherwise
            return evaluate(chosen, names)
        case ast.Cast(type=Scalar() as kind):
            return convert(evaluate(expression.operand, names), kind)
        case ast.SizeOf() if not isinstance(expression.operand, Expr):
            return _size(expression.operand)
        case ast.SizeOf() if render(expression) in names:
            return names[render(expression)]
        case ast.Call():
            return _call(expression, names)
        case ast.Assign() | ast.Update() if isinstance(names, Names):
            return names.assign(expression)
    raise InputError(f"'{render(expression)}' is not a constant expression")


def _holds(expression: Expr, names: Mapping[str, Value]) -> bool:
    """Return whether a condition is true; a string literal is: `n > 0 && "n is positive"`."""
    return isinstance(expression, ast.String) or bool(evaluate(expression, names))


def _lookup(expression: ast.Name | ast.Member, names: Mapping[str, Value]) -> Value:
    if isinstance(expression, ast.Name) and expression.id in names and not expression.template:
        return names[expression.id]
    name = render(expression)
    if name not in names:
        known = ", ".join(sorted(names))
        raise InputError(f"'{name}' has no value here" + (f": use {known}" if known else ""))
    return names[name]


def _unary(expression: ast.Unary, names: Mapping[str, Value]) -> Value:
    value = evaluate(expression.operand, names) if expression.op not in "*&" else 0
    match expression.op:
        case "-":
            return -value
        case "+":
            return +value
        case "!":
            return not value
        case "~" if not isinstance(value, float):
            return ~int(value)
    raise InputError(f"'{render(expression)}' is not a constant expression")


def convert(value: Value, kind: Scalar) -> Value:
    """Convert a number to a type as C does."""
    if kind.dtype.kind == "b":
        return bool(value)
    if kind.dtype.kind == "f":
        with np.errstate(over="ignore"):
            return float(np.array(value, np.float64).astype(kind.dtype))
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError(f"{value} cannot become {kind}")
    bits = 8 * kind.size_bytes
    wrapped = int(value) % (1 << bits)
    return wrapped - (1 << bits) if kind.dtype.kind == "i" and wrapped >> (bits - 1) else wrapped


def _size(kind: CType) -> int:
    if isinstance(kind, Void | Named):
        raise InputError(f"sizeof({kind}) has no value")
    return kind.size_bytes


def _call(expression: ast.Call, names: Mapping[str, Value]) -> Value:
    count, function = _CALLS.get(expression.function, (-1, None))
    if function is None and isinstance(names, Names):
        return names.call(expression, [evaluate(argument, names) for argument in expression.arguments])
    if function is None or count != len(expression.arguments):
        raise InputError(
            f"'{render(expression)}' is not a constant expression: it may call only "
            "min(a, b), max(a, b), abs(a), ceil(a) and floor(a)"
        )
    values = [evaluate(argument, names) for argument in expression.arguments]
    try:
        return function(*values)
    except (ArithmeticError, ValueError) as error:
        raise InputError(f"{error} in '{render(expression)}'") from error
