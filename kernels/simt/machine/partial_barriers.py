"""Barriers of a part of a block: of a tile of more than a warp, or of as many threads as a numbered barrier counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from kernels.frontend.types import INT
from kernels.launch import WARP_SIZE
from kernels.simt.compiler.compiled_values import Reconsider
from kernels.simt.compiler.elementwise import operands
from kernels.simt.compiler.named_barriers import arriving, waiting
from kernels.simt.compiler.operators import convert
from kernels.simt.machine.hazards import Place
from kernels.simt.machine.steps import Barrier, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from numpy.typing import NDArray

    from kernels.frontend.ast import Call, Do
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.lanes import Active, Group

    Find = Callable[[Group, Active], "Party"]

TILE_BARRIER: Final = "__tile_sync"
"""What `sync` of a tile of so many threads is compiled as."""

_NUMBERED: Final = "__barrier_sync"
_COUNTED: Final = "__barrier_sync_count"
ARRIVE: Final = "__barrier_arrive"
"""What PTX's `barrier.arrive` is compiled as."""

PARTIES: Final = (TILE_BARRIER, _NUMBERED, _COUNTED)
"""Barriers of a part of a block, by function."""

_BARRIERS: Final = 16
"""Numbered barriers of a block (PTX ISA, "barrier")."""


class Party(NamedTuple):
    """Who waits for whom: of each lane of a group the party it belongs to, and how many come to that.

    No two parties of the grid have the same key.
    """

    key: NDArray[np.int64]
    size: NDArray[np.int64]


def barrier(c: Context, node: Do, call: Call) -> Step:
    """Compile the barrier of a part of a block."""
    if c.findings.arrivals and call.function != TILE_BARRIER:
        return waiting(c, node.span, _numbered(c, call))
    number, begin, span = c.new_statement(node.span, "group-barrier"), c.recorder.step, node.span
    find = _tile(c, call) if call.function == TILE_BARRIER else _numbered(c, call)

    def wait(group: Group, mask: Active) -> Generator[Barrier, None, Active]:
        begin(number, group, mask)
        party = find(group, mask)
        yield Barrier(number, span, mask, party=party)
        return mask

    return Step(None, wait)


def arrival(c: Context, node: Do, call: Call) -> Step:
    """Compile an arrival at a numbered barrier, `__barrier_arrive(number, threads)`.

    Raises
    ------
    Reconsider
        Where such barriers have been compiled as if all threads waited at them.
    """
    if not c.findings.arrivals:
        c.findings.arrivals = True
        raise Reconsider
    return arriving(c, node.span, _numbered(c, call))


def _tile(c: Context, call: Call) -> Find:
    (code,) = operands(c, call, 1)
    size, threads = code.constant, c.launch.block.count

    def find(group: Group, mask: Active) -> Party:
        block, rank = np.divmod(group.lanes.astype(np.int64), threads)
        first = rank // size * size
        return Party(
            (block * threads + first) * WARP_SIZE + size.bit_length(), np.minimum(size, threads - first)
        )

    return find


def _numbered(c: Context, call: Call) -> Find:
    codes = operands(c, call, 1 if call.function == _NUMBERED else 2)
    runs = [convert(c, code, INT, call.span).run for code in codes]
    threads = c.launch.block.count

    def find(group: Group, mask: Active) -> Party:
        given = [np.broadcast_to(np.asarray(run(group, mask), np.int64), (group.size,)) for run in runs]
        size = given[1] if len(given) == 2 else np.full(group.size, threads, np.int64)
        block = group.lanes.astype(np.int64) // threads
        return Party(-1 - block * _BARRIERS - given[0] % _BARRIERS, size)

    return find


def whole(groups: Sequence[Group], waiting: Mapping[int, Barrier]) -> list[int]:
    """Return the groups that can go on: those at barriers that as many lanes have reached as it takes."""
    parted = {n: barrier for n, barrier in waiting.items() if barrier.party is not None}
    if not parted:
        return []
    keys = {n: _active(groups[n], barrier, "key") for n, barrier in parted.items()}
    known, counts = np.unique(np.concatenate(list(keys.values())), return_counts=True)
    return [
        n for n, barrier in parted.items()
        if (counts[np.searchsorted(known, keys[n])] >= _active(groups[n], barrier, "size")).all()
    ]  # fmt: skip


def meet(c: Context, groups: Sequence[Group], released: Sequence[Barrier]) -> None:
    """Note that the lanes of groups go on together with those of their party."""
    watch = c.recorder.watch
    if watch is None:
        return
    lanes, keys, _ = _all(groups, released)
    watch.meet("party", lanes, keys)


def report(c: Context, groups: Sequence[Group], stuck: Sequence[Barrier]) -> None:
    """Report a barrier of a part of a block that the rest of that part does not come to."""
    lanes, keys, sizes = _all(groups, stuck)
    known, counts = np.unique(keys, return_counts=True)
    short = np.flatnonzero(counts[np.searchsorted(known, keys)] < sizes)
    there, span, hazards = int(lanes[short[0]]), stuck[0].span, c.hazards
    come, wanted = int((keys == keys[short[0]]).sum()), int(sizes[short[0]])
    hazards.report(
        "barrier-divergence", Place(span), c.recorder.current, len(np.unique(keys[short])),
        ((there, span, "read"),),
        lambda: f"{come} of the {wanted} threads that this barrier waits for come to it, the others do not: "
        f"{hazards.name(there)} waits; every thread of the group must reach it: move it out of the branch or loop",
    )  # fmt: skip


def _all(
    groups: Sequence[Group], barriers: Sequence[Barrier]
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """Return the lanes at barriers, ascending, with key and size of the party of each."""
    pairs = list(zip(groups, barriers, strict=True))
    lanes = np.concatenate([_lanes(group, barrier) for group, barrier in pairs])
    keys, sizes = (np.concatenate([_active(g, b, part) for g, b in pairs]) for part in ("key", "size"))
    order = np.argsort(lanes)
    return lanes[order], keys[order], sizes[order]


def _lanes(group: Group, barrier: Barrier) -> NDArray[np.int32]:
    return group.lanes if barrier.mask is None else group.lanes[barrier.mask.where]


def _active(group: Group, barrier: Barrier, part: str) -> NDArray[Any]:
    values: NDArray[Any] = getattr(barrier.party, part)
    return values if barrier.mask is None else values[barrier.mask.where]
