"""Index patterns: indices that differ by one number from round to round share a vector, which is computed once.

Example: `tile[threadIdx.x + 16 * k]` in a loop over k. The pattern is the vector of threadIdx.x, and in each round the
index is an `AffineIndex` of this pattern and the number 16·k. The bounds check compares the least and the greatest
element of the pattern plus 16·k with the size of `tile`, and the offsets of the lanes are computed once for the
pattern.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.frontend.arithmetic import COMPARISON
from kernels.frontend.types import LONG
from kernels.simt.compiler.index.affine_values import affine_result
from kernels.simt.machine.affine_index import AffineIndex, Pattern
from kernels.simt.machine.arithmetic import binary, ndarray

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from numpy.typing import NDArray

    from kernels.simt.compiler.compiled_values import Code
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.affine import Coordinates, Linear
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group, Mask
    from kernels.simt.machine.steps import Run

_KEPT: Final = 32
"""Maximum number of patterns that a group stores: data-dependent branches make new lane sets in every round."""


def _sum(group: Group, coordinates: Coordinates) -> NDArray[np.int64]:
    """Return the sum of the coordinates' terms of an index, for every lane of a group."""
    index = np.zeros(group.size, np.int64)
    for name, factor in coordinates:
        if isinstance(name, str):
            part: Any = group.built_in[name]
        else:
            compute = binary(name.op, LONG)
            assert compute is not None
            part = compute(_sum(group, name.operand.coordinates) + name.operand.number, name.number)
        index += np.multiply(part, factor, dtype=np.int64)
    return index


def _pattern_of_lanes(c: Context, group: Group, mask: Mask, whole: Pattern) -> Pattern | None:
    """Return the pattern of a lane set from its second use on; None for the first."""
    known: dict[tuple[Pattern, Mask], Pattern | None] = group.patterns
    # A lane set that comes once, as in a data-dependent branch, would cost more to store than it saves.
    key = (whole, mask)
    if key not in known:
        if len(known) >= _KEPT:
            known.clear()
        known[key] = None
        return None
    affine = known[key]
    if affine is None:
        lanes = c.machine.recorder.masks[c.machine.recorder.row(group, mask)]
        affine = known[key] = Pattern(whole.coordinates, whole.index[mask.where], lanes)
    return affine


def indices(c: Context, affine: Linear) -> Run:
    """Compile an index: an AffineIndex if its rest is the same number for all lanes, otherwise a vector."""
    coordinates, rest, pattern = affine.coordinates, affine.rest(), _pattern_of_all(c, affine)

    def run(group: Group, mask: Active) -> Value:
        shift, whole = rest(group, mask), pattern(group)
        # A rest that differs from lane to lane, such as a value from memory, makes a vector after all.
        if type(shift) is not ndarray:
            part = whole if mask is None else _pattern_of_lanes(c, group, mask, whole)
            if part is not None:
                return AffineIndex(part, shift, whole)
        return whole.index + shift if coordinates else shift

    return run


def comparison(c: Context, op: str, left: Code, right: Code) -> Run | None:
    """Compile a comparison that the extremes of all lanes often decide; None if it has no coordinate."""
    affine = affine_result("-", left, right)
    if affine is None:
        return None
    compare, rest, pattern = COMPARISON[op], affine.rest(), _pattern_of_all(c, affine)

    def run(group: Group, mask: Active) -> Value:
        shift, whole = rest(group, mask), pattern(group)
        if type(shift) is ndarray:
            return compare(whole.index + shift, 0)
        # All lanes are compared, active or not: a uniform result is right for each of them.
        low, high = whole.low + shift, whole.high + shift
        if low > 0 or high < 0:  # all lanes are greater, or all are less
            return compare(low, 0)
        return compare(whole.index, -shift)

    return run


def _pattern_of_all(c: Context, affine: Linear) -> Callable[[Group], Pattern]:
    """Compile the pattern of all lanes."""
    coordinates, slot = affine.coordinates, c.pattern(affine.coordinates)

    def pattern(group: Group) -> Pattern:
        whole: Pattern | None = group.values[slot]
        if whole is None:
            whole = group.values[slot] = Pattern(coordinates, _sum(group, coordinates), group.lanes)
        return whole

    return pattern
