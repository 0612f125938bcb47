"""Copies through registers: read by one statement, stored to shared memory by a later one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kernels.analysis.syntax import parts_at
from kernels.frontend.ast import Assign, Do, Name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from kernels.trace import Site, Trace


def reads_of_variable(trace: Trace, site: Site, reads: Mapping[int, list[int]]) -> list[int]:
    """Return the sites that read the variable that a statement stores; none if it was computed.

    `reads` are the sites of global reads by statement.
    """
    variable = _stored_variable(trace, site.statement)
    names = [n for n, register in enumerate(trace.registers) if register.name == variable]
    steps = trace.set_step[np.isin(trace.set_register, names)]
    return [s for statement in np.unique(trace.step_statement[steps]) for s in reads.get(int(statement), [])]


def _stored_variable(trace: Trace, statement: int) -> str:
    """Return the name of the variable that `array[…] = name` stores; empty for other statements."""
    for part in parts_at(trace, statement):
        value = part.expression if isinstance(part, Do) else None
        while isinstance(value, Assign):
            value = value.value  # of a = b = name, the last
        if isinstance(value, Name):
            return value.id
    return ""


def sources_of_variable(
    trace: Trace, number: int, candidates: list[int]
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the sources of the values of a group of stores.

    A lane stores what it read last, but not before the store before this one. Lanes that store another value
    than they read are left out: it was computed. Zeros of lanes that read nothing are filled in.

    Returns
    -------
    Lanes, the elements they store to, those they read (-1: none) and the sites of these reads.
    """
    group = trace.group(number)
    lanes, values, step = group.lanes, group.values, group.step
    stores = trace.group_step[trace.group_site == trace.group_site[number]]
    before = stores[stores < step].max(initial=-1)
    source, read_site = np.full(len(lanes), -1, np.int64), np.full(len(lanes), candidates[0], np.int64)
    within = (trace.group_step > before) & (trace.group_step < step) & np.isin(trace.group_site, candidates)
    for other in np.flatnonzero(within):
        read = trace.group(int(other))
        at = np.minimum(np.searchsorted(lanes, read.lanes), len(lanes) - 1)
        hit = lanes[at] == read.lanes
        source[at[hit]], read_site[at[hit]] = read.index[hit], trace.group_site[other]
    # Lanes that read nothing get the most frequent site of the others, whose formula says what they would have read.
    read_site[source < 0] = np.bincount(read_site[source >= 0], minlength=1).argmax() or candidates[0]
    initial = trace.initial[trace.sites[candidates[0]].array]
    same = source >= 0
    if values is not None:
        stored = values.reshape(-1)
        if initial is not None:
            same &= source < initial.size
            same &= initial.reshape(-1)[np.where(same, source, 0)] == stored
        same |= (source < 0) & (stored == 0)
    return lanes[same], group.index[same], source[same], read_site[same]
