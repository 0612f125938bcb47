"""Arithmetic inside an index that does not fit an int: C says nothing about it, and a GPU wraps.

Where the values that the operands can have are known to fit, nothing is checked when the kernel runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend.types import INT
from kernels.simt.compiler.compiled_values import Code
from kernels.simt.compiler.intervals import combined, interval, within
from kernels.simt.machine.arithmetic import ndarray
from kernels.simt.machine.hazards import Place
from kernels.simt.machine.lanes import EMPTY

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.frontend.ast import Span
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group

_WIDE: Final[dict[str, Any]] = {"+": np.add, "-": np.subtract, "*": np.multiply}
_LIMIT: Final = np.iinfo(np.int32)


def checked(
    c: Context, op: str, function: Callable[[Value, Value], Value], left: Code, right: Code, span: Span
) -> Code | None:
    """Compile +, - or * of two ints with a report of what does not fit; None where everything does."""
    first, second = interval(left), interval(right)
    assert first is not None
    assert second is not None
    if within(combined(op, first, second), INT):
        return None
    one, two, hazards, recorder, place = (
        left.run,
        right.run,
        c.machine.hazards,
        c.machine.recorder,
        Place(span),
    )

    def report(group: Group, mask: Active, a: Value, b: Value) -> None:
        exact = _WIDE[op](np.asarray(a, np.int64), np.asarray(b, np.int64))
        bad = np.broadcast_to((exact < _LIMIT.min) | (exact > _LIMIT.max), group.size)
        lost = group.narrow(mask, bad) if bad.any() else EMPTY
        if lost is EMPTY:
            return
        at = 0 if lost is None else int(lost.where[0])
        x, y, value = (int(v[at]) if np.ndim(v) else int(v) for v in (a, b, exact))
        lane = int(group.lanes[at])
        hazards.report(
            "index-overflow",
            place,
            recorder.current,
            group.active(lost),
            ((lane, span, "read"),),
            lambda: (
                f"{hazards.name(lane)} computes {x} {op} {y} for an index: {value} does not fit an int, "
                f"it wraps to {(value + 2**31) % 2**32 - 2**31}; compute it in size_t or long long"
            ),
        )

    def run(group: Group, mask: Active) -> Value:
        a, b = one(group, mask), two(group, mask)
        if not within(combined(op, _extremes(a), _extremes(b)), INT):
            report(group, mask, a, b)
        return function(a, b)

    return Code(run, INT, None, False)


def _extremes(value: Value) -> tuple[int, int]:
    return (int(value.min()), int(value.max())) if type(value) is ndarray else (value, value)
