"""Warnings in captions: threads that access elements outside an array, and where their addresses lead."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kernels.analysis.elements import elements_at
from kernels.narration.words import element_names, extent, plural, threads_named

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kernels.analysis.bounds import Outside
    from kernels.analysis.elements import Elements
    from kernels.narration.words import Vocabulary
    from kernels.trace import Trace


def warning(trace: Trace, outside: Iterable[Outside], vocabulary: Vocabulary) -> str:
    """Warn of accesses outside, `; careful: thread (1,0) writes C[0][3], …`; "" for none."""
    actions: dict[str, list[str]] = {}
    for found in outside:
        elements, lanes = found.elements, np.unique(found.lanes)
        one, many = ("reads", "read") if found.group.site.access == "read" else ("writes", "write")
        verb = plural(len(lanes), one, many)
        if len(lanes) > 1 and all((cell == cell[0]).all() for cell in elements.cells):
            verb, elements = f"{'both' if len(lanes) == 2 else 'all'} {verb}", elements.only(np.array([0]))
        what = f"{verb} {element_names(elements)}, outside {extent(found.group.array)}{_address(elements)}"
        actions.setdefault(threads_named(trace, lanes, vocabulary), []).append(what)
    return "".join(f"; careful: {threads} {' and '.join(several)}" for threads, several in actions.items())


def _address(outside: Elements) -> str:
    """Name the elements that have the addresses of elements outside; "" where the source has only flat indices."""
    array, flat = outside.array, outside.flat
    if len(outside.coordinates) < 2 or array.struct is not None:
        return ""
    lands = (flat >= 0) & (flat < array.size)
    where = []
    if lands.any():
        real = elements_at(array, np.unique(flat[lands]))
        where.append(f"at the {plural(len(real.flat), 'address', 'addresses')} of {element_names(real)}")
    if (flat < 0).any():
        where.append(f"before the start of {array.name}")
    if (flat >= array.size).any():
        where.append(f"past the end of {array.name}")
    return f", {' or '.join(where)}"
