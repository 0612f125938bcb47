"""Accesses outside their array, judged by the coordinates in the source, and padding of shared arrays.

`C[row * N + col]` of a 3×3 matrix with row = 0 and col = 3 is outside: the source names C[0][3]. Its flat index 3
exists all the same, so the access reads or writes C[1][0], and memcheck has nothing to report.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.analysis.syntax.source import place_of, source_of, text_at
from kernels.analysis.values.elements import elements_at, elements_of_reference
from kernels.analysis.values.registers import Names

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.analysis.syntax.source import Place
    from kernels.analysis.values.elements import Elements
    from kernels.trace import AccessGroup, Trace

_PITCH: Final = re.compile(r"\(\s*\w+\s*\+\s*(\w+)\s*\)\s*\*|\*\s*\(\s*\w+\s*\+\s*(\w+)\s*\)|\*\s*(\d+)\b|\b(\d+)\s*\*")
"""Row length in an index: a sum, as in `y * (T + 1) + x`, or a number, as in `y * 33 + x`."""

_SUM: Final = re.compile(r"\+\s*(\w+)\s*\]$")
"""End of a declarator whose row length is a sum: `tile[TILE_WIDTH][TILE_WIDTH + 1]`."""


@dataclass(frozen=True, slots=True, eq=False)
class Outside:
    """Accesses of one group to elements that do not exist by their coordinates; at least one."""

    group: AccessGroup
    lanes: NDArray[np.int32]
    """Lane of each access."""
    elements: Elements
    """Element that the source names in each access."""

    @property
    def lands(self) -> NDArray[np.bool_]:
        """True where the flat index exists: the access reaches another element of the array."""
        flat = self.elements.flat
        found: NDArray[np.bool_] = (flat >= 0) & (flat < self.elements.array.size)
        return found


def accessed_elements(trace: Trace, place: Place, group: AccessGroup, before: Names) -> Elements:
    """Return the elements of a group, with the coordinates of the source's index where it has any.

    `before` are the names before the step, for sorted lanes.
    """
    for reference in place.references:
        if reference.node.span == group.site.span and reference.base == group.array.name:
            named = elements_of_reference(trace, place, reference, before)
            if named is None or not np.isin(group.lanes, before.lanes).all():
                continue  # an access after a call may be of lanes that are not in the call's last step
            rows = np.searchsorted(before.lanes, group.lanes)
            if (named.flat[rows] == group.index).all():
                return named.only(rows).widen(group.site.width)
    return elements_at(group.array, group.elements)


def outside_accesses(trace: Trace, step: int, block: int | None = None) -> tuple[Outside, ...]:
    """Return the accesses of a step that are outside; with `block`, only those of this block (linear number)."""
    groups = trace.accesses(step, block)
    place = place_of(trace, step) if groups else None
    if place is None:
        found = [(group, elements_at(group.array, group.elements)) for group in groups]
    else:
        before = Names.at(trace, step - 1, trace.lanes(step, block), place)
        found = [(group, accessed_elements(trace, place, group, before)) for group in groups]
    return tuple(
        Outside(group, group.element_lanes[~elements.inside], elements.only(~elements.inside))
        for group, elements in found
        if not elements.inside.all()
    )


def padding(trace: Trace, array: int) -> int:
    """Return the columns of padding at the end of each row of a shared array.

    Padding is declared and not used: the row length is written as a sum, `[TILE_WIDTH][TILE_WIDTH + 1]`, and no thread
    of the run accesses the last columns, as many as the last addend says.
    """
    info = trace.arrays[array]
    if info.space != "shared" or len(info.shape) < 2:
        return 0
    declared = _declarator(trace, array)
    addend = _SUM.search(declared)
    if addend is None:
        return 0
    unused = _unused_columns(trace, array, info.shape[-1])
    most = dict(trace.defines).get(addend[1], addend[1])
    return min(unused, int(most)) if most.isdecimal() else unused


def flat_padding(trace: Trace, array: int, columns: int) -> int:
    """Return the columns of padding of a one-dimensional shared array whose rows have this length in its indices.

    As in `padding`, the source must say so: the row length in the index is a sum, `y * (T + 1) + x`, of which the last
    addend is not used, or it is one more than a power of two, `y * 33 + x`, and the last column is not used.
    """
    info = trace.arrays[array]
    unused = _unused_columns(trace, array, columns) if info.space == "shared" and len(info.shape) == 1 else 0
    for site in trace.sites if unused else ():
        if site.array != array:
            continue
        for first, second, third, fourth in _PITCH.findall(text_at(trace, site.span)):
            number = third or fourth
            if number and int(number) == columns and unused == 1 and columns > 2 and (columns - 1).bit_count() == 1:
                return 1
            addend = first or second
            if addend and dict(trace.defines).get(addend, addend) == str(unused):
                return unused
    return 0


def _unused_columns(trace: Trace, array: int, columns: int) -> int:
    """Return the columns at the end of each row of an array that no thread accesses; 0 if no thread accesses any."""
    used = np.zeros(columns, bool)
    sites = [number for number, site in enumerate(trace.sites) if site.array == array]
    for number in np.flatnonzero(np.isin(trace.group_site, sites)).tolist():
        used[trace.group(number).elements % columns] = True
    return columns - 1 - int(np.flatnonzero(used).max(initial=-1)) if used.any() else 0


def _declarator(trace: Trace, array: int) -> str:
    """Return the declaration of a shared array's name and dimensions, as written; "" where it cannot be found."""
    name = trace.arrays[array].name
    for place in source_of(trace).places.values():
        if (declared := place.visible.get(name)) is not None:
            return text_at(trace, declared.span)
    return ""
