"""The arithmetic behind one access: the index as written, with this thread's numbers, and where it leads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kernels.insight.elements import array_of, elements_meant, elements_touched
from kernels.insight.evaluate import substituted
from kernels.insight.registers import Names
from kernels.insight.syntax import place_of, text_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.insight.elements import Elements
    from kernels.insight.syntax import Place, Reference
    from kernels.trace import Site, Trace


@dataclass(frozen=True, slots=True)
class IndexArithmetic:
    """One index worked out for one thread.

    `text` is the index as written (`row * K + t * TILE_WIDTH + tx`), `substituted` the same with numbers
    (`0*3 + 1*2 + 1`); several dimensions stand in brackets, `[ty][k]`. `row` and `column` are None where the array has
    one dimension or the source does not tell them apart. `byte_address` is in the array's memory space. `inside`
    is False when the element does not exist, `performed` when a guard kept the thread from touching it.
    """

    array: str
    text: str
    substituted: str
    flat: int
    row: int | None
    column: int | None
    byte_address: int
    inside: bool
    performed: bool
    element: str


def explain_index(trace: Trace, step: int, lane: int, site: Site) -> IndexArithmetic | None:
    """Work out which element a site means to a lane in a step, also when a guard held the lane back.

    Parameters
    ----------
    trace : Trace
        Any trace.
    step : int
        A step that executes the site's statement.
    lane : int
        Any lane that has got as far, whether it takes part in the step or not.
    site : Site
        One of the trace's.

    Returns
    -------
    IndexArithmetic or None
        None when the lane did not perform the access and what it would have been is not told by its registers.
    """
    place, reference = find_reference(trace, step, site)
    lanes = np.array([lane], np.int32)
    array = trace.arrays[site.array]
    touched = _touched(trace, step, lane, site)
    found, names = None, None
    if place is not None and reference is not None:
        # Registers from before the step; from after it, where the statement sets what it then indexes with.
        for moment in (step - 1, step):
            names = Names.at(trace, moment, lanes, place)
            found = elements_meant(trace, place, reference, names)
            if found is not None and touched in (None, int(found.flat[0])):
                break
    if touched is not None and (found is None or int(found.flat[0]) != touched):
        found = elements_touched(array, np.array([touched], np.int64))
    if found is None:
        return None
    indices = reference.indices if reference else ()
    text = _subscripts([text_at(trace, part.span) for part in indices])
    numbers = _subscripts([substituted(part, names) for part in indices] if names else [])
    return _arithmetic(found, text, numbers, touched is not None)


def _subscripts(parts: Sequence[str]) -> str:
    """One index as it is; several as in the source, `[ty][k]`."""
    return parts[0] if len(parts) == 1 else "".join(f"[{part}]" for part in parts)


def find_reference(trace: Trace, step: int, site: Site) -> tuple[Place | None, Reference | None]:
    """Return the statement of a step, and the mention in it that a site stands for."""
    place = place_of(trace, step)
    if place is None:
        return None, None
    here = [r for r in place.references if r.node.span == site.span]
    array = trace.arrays[site.array]
    here = [r for r in here if array_of(trace, r) == array] or here
    return place, here[0] if here else None


def _touched(trace: Trace, step: int, lane: int, site: Site) -> int | None:
    """Flat index of the access that the lane performed."""
    for group in trace.accesses(step):
        if group.site == site:
            at = int(np.searchsorted(group.lanes, lane))
            if at < len(group.lanes) and group.lanes[at] == lane:
                return int(group.index[at])
    return None


def _arithmetic(found: Elements, text: str, numbers: str, performed: bool) -> IndexArithmetic:
    array, flat = found.array, int(found.flat[0])
    row, column = (int(c[0]) for c in found.coordinates) if len(found.coordinates) == 2 else (None, None)
    return IndexArithmetic(
        array.name, text, numbers, flat, row, column, array.address + flat * array.dtype.itemsize,
        bool(found.inside[0]), performed, found.name(0),
    )  # fmt: skip
