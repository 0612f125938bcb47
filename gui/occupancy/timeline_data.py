"""Readings of a block timeline for its picture, computed once, away from the window's thread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kernels.occupancy.timeline_words import launch_words, sentences

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.occupancy.block_timeline import BlockTimeline


@dataclass(frozen=True, slots=True, eq=False)
class TimelineData:
    """A timeline with what its picture needs."""

    timeline: BlockTimeline
    title: str
    """The launch, and where it comes from."""
    sentences: tuple[str, ...]
    slot: NDArray[np.int32]
    """Place of each block on its SM."""
    turn: NDArray[np.int32]
    """Number of blocks that had the place before."""

    @property
    def places(self) -> int:
        """Places of an SM that are drawn."""
        return int(self.slot.max()) + 1


def prepare(timeline: BlockTimeline, origin: str) -> TimelineData:
    """Compute the readings; `origin` says where the timeline comes from, such as "shipped"."""
    slot = timeline.slots()
    place = timeline.sm.astype(np.int64) * (int(slot.max()) + 1) + slot
    order = np.lexsort((timeline.start_ns, place))
    firsts = np.flatnonzero(np.diff(place[order], prepend=-1))
    turn = np.empty(timeline.blocks, np.int32)
    turn[order] = np.arange(timeline.blocks) - np.repeat(firsts, np.diff([*firsts, timeline.blocks]))
    return TimelineData(timeline, f"{launch_words(timeline)} ({origin})", sentences(timeline), slot, turn)
