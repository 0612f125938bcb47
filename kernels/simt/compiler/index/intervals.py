"""Intervals: the least and the largest value of an integer expression, as far as compilation knows them.

The index of a thread is inside the block, the value of a parameter is known, a variable that is never assigned again
has the interval of its expression, and a loop's counter stays between its start and its end.

Example: in blocks of 16 threads, `int col = t * 16 + threadIdx.x;` in `for (int t = 0; t < 4; ++t)` has t in 0..3,
threadIdx.x in 0..15, so that col is in 0..63, and `A[row * 64 + col]` needs no check of overflow if row is as small.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kernels.frontend import ast
from kernels.frontend.ast.traversal import below
from kernels.frontend.types import BOOL, Pointer, Scalar
from kernels.simt.compiler.compiled_values import Code, Variable
from kernels.simt.compiler.index import affine_values
from kernels.simt.machine.arithmetic import integer_range

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kernels.frontend.ast import Expr
    from kernels.simt.compiler.compiled_values import Bundle, Element
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.steps import Run

    Interval = tuple[int, int]
    """Minimum and maximum value, both inclusive."""

_SIDE_EFFECT_FREE: Final = (ast.Name, ast.Number, ast.Member, ast.Cast, ast.Binary, ast.Unary)
"""Expressions that can be compiled only for their interval: they access no memory and have no side effect."""

_STEPS: Final = {"++": "+", "--": "-", "+=": "+", "-=": "-", ">>=": ">>", "/=": "/", "*=": "*", "<<=": "<<"}


def interval(code: Code) -> Interval | None:
    """Return the interval of an integer; None for a value of another type."""
    kind = code.type
    if not isinstance(kind, Scalar) or kind.dtype.kind not in "biu":
        return None
    if code.constant is not None:
        return int(code.constant), int(code.constant)
    return code.index.bounds or ((0, 1) if kind == BOOL else integer_range(kind))


def within(bounds: Interval | None, kind: Scalar) -> Interval | None:
    """Return an interval if a type can represent all of it, otherwise None, since a value might wrap."""
    if bounds is None or kind.dtype.kind not in "iu":
        return None
    least, most = integer_range(kind)
    return bounds if least <= bounds[0] and bounds[1] <= most else None


def operation_interval(op: str, left: Interval, right: Interval) -> Interval | None:
    """Return the interval of an operation without overflow; None if it is unknown."""
    (a, b), (c, d) = left, right
    match op:
        case "+":
            return a + c, b + d
        case "-":
            return a - d, b - c
        # A product's extremes are among those of the corners, whatever the signs.
        case "*":
            products = (a * c, a * d, b * c, b * d)
            return min(products), max(products)
        case "/" if c > 0:
            quotients = [abs(x) // y * (1 if x >= 0 else -1) for x in left for y in right]
            return min(quotients), max(quotients)
        # C's remainder has the sign of the dividend.
        case "%" if c > 0:
            return (0 if a >= 0 else -min(d - 1, -a)), (min(b, d - 1) if b >= 0 else 0)
        # The result has no bit that a non-negative operand lacks.
        case "&" if a >= 0 or c >= 0:
            return 0, min(most for least, most in (left, right) if least >= 0)
        case "|" | "^" if a >= 0 and c >= 0:
            return 0, (1 << max(b, d).bit_length()) - 1
        case ">>" if c >= 0 and d < 64:
            return min(a >> c, a >> d), max(b >> c, b >> d)
        case "<<" if c >= 0 and d < 64:
            return min(a << c, a << d), max(b << c, b << d)
    return None


def follow_assignment(c: Context, symbol: Variable | Bundle | Element, value: Code, put: Run) -> Run:
    """Record the interval of a variable whose only assignment is `put`; returns the run that replaces `put`."""
    if not isinstance(symbol, Variable) or not isinstance(symbol.type, Scalar):
        return put
    # A variable that turns out to be assigned by a reference is in `reassigned` in the next attempt.
    if symbol.key not in c.machine.assumptions.reassigned and (symbol.const or symbol.name not in _uses(c)[0]):
        symbol.bounds = within(interval(value), symbol.type)
        if symbol.bounds is not None:
            return affine_values.follow_assignment(c, symbol, value, put)
    return put


def follow_counter(c: Context, node: ast.For, start: Run | None, step: Run | None) -> tuple[Run | None, Run | None]:
    """Record the interval of a loop's counter in its body, if start, test and step limit it.

    Returns the runs that replace `start` and `step`.
    """
    if not isinstance(node.start, ast.Declare) or node.condition is None or node.step is None:
        return start, step
    for declared in node.start.variables:
        variable = c.find(declared.name)
        if (
            isinstance(variable, Variable)
            and isinstance(variable.type, Scalar)
            and isinstance(declared.value, ast.Expr)
            and variable.key not in c.machine.assumptions.reassigned
        ):
            variable.bounds = _counter_interval(c, declared, node.condition, node.step, variable.type)
            change = _step_of(c, declared.name, node.step)
            if variable.bounds is None or change is None or start is None or step is None:
                continue
            op, (by, most) = change
            # Affine only with a constant step: then every lane's counter differs from its start by one number.
            if op == "+" and by == most:
                start, step = affine_values.follow_counter(c, variable, c.compile(declared.value), by, start, step)
    return start, step


def _counter_interval(c: Context, variable: ast.Variable, condition: Expr, step: Expr, kind: Scalar) -> Interval | None:
    # Any one of the conditions joined by && limits the counter.
    start, change = _values(c, variable.value), _step_of(c, variable.name, step)
    end = next((found for test in _tests(condition) if (found := _end(c, variable.name, test))), None)
    if start is None or change is None or end is None:
        return None
    # A counter that grows is in start … end - 1 in the body, and one step further it must not wrap: `i += 2^30` would
    # pass the end and come back below it. One that shrinks is in end + 1 … start. The step must not change direction.
    (op, by), (order, (low, high)) = change, end
    if order in ("<", "<="):
        last = high - (order == "<")
        if op not in ("+", "*", "<<") or by[0] < 0 or (op == "*" and by[0] < 1) or (op != "+" and start[0] < 0):
            return None
        after = operation_interval(op, (start[0], max(last, start[0])), by)
        return (start[0], max(last, start[0])) if after and within(after, kind) else None
    last = low + (order == ">")
    if op not in ("-", "/", ">>") or by[0] < (1 if op == "/" else 0):
        return None
    after = operation_interval(op, (min(last, start[1]), start[1]), by)
    return (min(last, start[1]), max(start[1], 0)) if after and within(after, kind) else None


def _tests(condition: Expr) -> Iterator[Expr]:
    """Yield the conditions that must all be true for the loop to continue."""
    if isinstance(condition, ast.Binary) and condition.op == "&&":
        yield from _tests(condition.left)
        yield from _tests(condition.right)
    else:
        yield condition


def _end(c: Context, name: str, test: Expr) -> tuple[str, Interval] | None:
    """Return the limit of a counter by a test `k < end` or `end > k`: the operator, and the interval of the end."""
    mirrored = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
    if not isinstance(test, ast.Binary) or test.op not in mirrored:
        return None
    order, other = test.op, test.right
    if _is_name(test.right, name):
        order, other = mirrored[order], test.left
    elif not _is_name(test.left, name):
        return None
    found = _values(c, other)
    return None if found is None else (order, found)


def _step_of(c: Context, name: str, step: Expr) -> tuple[str, Interval] | None:
    """Return the change of a counter by a step: the operator, and the interval of its operand."""
    if isinstance(step, ast.Update) and _is_name(step.target, name):
        return _STEPS[step.op], (1, 1)
    if isinstance(step, ast.Assign) and _is_name(step.target, name) and step.op in _STEPS:
        by = _values(c, step.value)
        return None if by is None else (_STEPS[step.op], by)
    return None


def _is_name(node: Expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _values(c: Context, node: Any) -> Interval | None:
    """Return the interval of an expression without side effects."""
    return interval(c.compile(node)) if _simple(node) else None


def _simple(node: Any) -> bool:
    if isinstance(node, ast.Unary) and node.op in "*&":
        return False
    children = [getattr(node, name) for name in ("left", "right", "operand", "base") if hasattr(node, name)]
    return isinstance(node, _SIDE_EFFECT_FREE) and all(map(_simple, children))


def is_index(c: Context, name: str) -> bool:
    """Return whether a variable of the current function is an index, a pointer, or a term of one of them."""
    return name in _uses(c)[1]


def is_assigned(c: Context, name: str) -> bool:
    """Return whether the current function assigns a name after its declaration."""
    return name in _uses(c)[0]


def makes_index(c: Context, target: Expr, value: Expr) -> bool:
    """Return whether an assignment computes an index by +, -, * or /; `h = h * 31 & 63` is a hash, which may wrap."""
    return isinstance(target, ast.Name) and is_sum(value) and is_index(c, target.id)


def is_sum(node: Expr) -> bool:
    """Return whether an expression is computed by +, -, * or /, also in the branches of a conditional expression."""
    match node:
        case ast.Cast(operand=operand) | ast.Unary(op="+" | "-", operand=operand):
            return is_sum(operand)
        case ast.Conditional():
            return is_sum(node.then) or is_sum(node.otherwise)
        case _:
            return isinstance(node, ast.Binary) and node.op in ("+", "-", "*", "/")


def is_index_argument(c: Context, call: ast.Call, number: int) -> bool:
    """Return whether an argument of a call of a function without overloads is computed for one of its indices."""
    functions = c.functions.get(call.function, ())
    if len(functions) != 1 or not is_sum(call.arguments[number]):
        return False
    (function,) = functions
    if not isinstance(function, ast.Function) or number >= len(function.parameters):
        return False
    known = c.calls.indices
    if id(function) not in known:
        known[id(function)] = _name_uses(function.parameters, below(function.body), gives_index=False)[1]
    return function.parameters[number].name in known[id(function)]


def _uses(c: Context) -> tuple[set[str], set[str]]:
    """Return the names that the current function assigns after their declaration, and those in its indices."""
    frame = c.frames[-1]
    if frame.uses is None:
        frame.uses = _name_uses(frame.function.parameters, frame.nodes(), frame.gives_index)
    return frame.uses


def _name_uses(
    parameters: Sequence[ast.Parameter], nodes: Sequence[Any], gives_index: bool
) -> tuple[set[str], set[str]]:
    """Return the names that are assigned after their declaration, and those in indices and addresses.

    Example: in `int start = row * pitch; int i = start + col; A[i] = 0;` it has i, and so start, col, row and pitch.
    """
    # By name, whatever it declares: two variables of one name count as assigned if one is, which costs speed only.
    assigned: set[str] = set()
    indices = {parameter.name for parameter in parameters if isinstance(parameter.type, Pointer)}
    values: list[tuple[str, Expr]] = []
    for node in nodes:
        kind = type(node)
        if kind is ast.Assign or kind is ast.Update:
            if isinstance(node.target, ast.Name):
                assigned.add(node.target.id)
                if kind is ast.Assign:
                    values.append((node.target.id, node.value))
        elif kind is ast.Index:
            indices.update(_terms(node.index))
        elif kind is ast.Unary:
            if node.op == "*":
                indices.update(_terms(node.operand))
        elif kind is ast.Variable:
            if isinstance(node.type, Pointer):
                indices.add(node.name)
            if node.value is not None and type(node.value) is not tuple:
                values.append((node.name, node.value))
        elif kind is ast.Return and gives_index and node.value is not None:
            indices.update(_terms(node.value))
    _add_terms(indices, values)
    return assigned, indices


def _add_terms(indices: set[str], values: list[tuple[str, Expr]]) -> None:
    """Add the terms of the values of variables in indices, and the terms of their values."""
    count = -1
    while count != len(indices):
        count = len(indices)
        for name, value in values:
            if name in indices:
                indices.update(_terms(value))


def _terms(node: Expr) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Binary) and node.op in ("+", "-", "*"):
        yield from _terms(node.left)
        yield from _terms(node.right)
    elif isinstance(node, ast.Cast):
        yield from _terms(node.operand)
