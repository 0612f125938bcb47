"""Playlist: the frames of a trace in the order in which they are shown (`kernels.analysis.order.play_order`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, overload

import numpy as np

from kernels.analysis.order.play_order import play_order
from kernels.analysis.order.races import pairs_of, shown_at
from kernels.analysis.syntax.source import parts_at, source_of
from kernels.analysis.syntax.walk import has_print
from kernels.analysis.values.shuffles import has_shuffle
from kernels.frontend.ast import Do, Return
from kernels.launch import WARP_SIZE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.analysis.order.play_order import PlayOrder
    from kernels.analysis.syntax.source import Place
    from kernels.trace import Hazard, Trace

Detail = Literal["memory", "statement"]


class Frame(NamedTuple):
    """One picture: a block (linear number) at a step of the trace."""

    block: int
    step: int


_WAITS: Final = ("barrier", "warp-barrier", "group-barrier")
"""Statements that wait for other threads."""


@dataclass(frozen=True, eq=False)
class Frames(Sequence[Frame]):
    """A sequence of frames, stored as two int32 columns."""

    blocks: NDArray[np.int32]
    steps: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.blocks)

    @overload
    def __getitem__(self, at: int) -> Frame: ...
    @overload
    def __getitem__(self, at: slice) -> Frames: ...
    def __getitem__(self, at: int | slice) -> Frame | Frames:
        if isinstance(at, slice):
            return Frames(self.blocks[at], self.steps[at])
        return Frame(int(self.blocks[at]), int(self.steps[at]))


@dataclass(frozen=True, eq=False)
class Playlist:
    """Frames in the order played, and the positions of marks: int32 each, ascending."""

    frames: Frames
    turn_starts: NDArray[np.int32]
    """The first frame of each turn: of each block, and again where a block continues after another one."""
    phase_starts: NDArray[np.int32]
    """The first frame of each phase of each block."""
    barriers: NDArray[np.int32]
    """The frames in which threads wait."""
    hazards: NDArray[np.int32]
    """The frame of each hazard."""

    def __len__(self) -> int:
        return len(self.frames)

    @cached_property
    def blocks(self) -> tuple[int, ...]:
        """Blocks that have frames, as linear numbers."""
        return tuple(np.unique(self.frames.blocks[self.turn_starts]).tolist())

    def position(self, block: int, step: int) -> int | None:
        """Return the frame of a block at a step, else the block's next or last one; None if it has none."""
        return _position(self.frames, block, step)


def frame_count(trace: Trace) -> int:
    """Count the frames of a playlist of every statement, without creating it."""
    _, first = _blocks_of_masks(trace)
    return int(np.diff(first)[trace.step_mask].sum())


def playlist(trace: Trace, detail: Detail, order: PlayOrder | None = None) -> Playlist:
    """Build the playlist of a trace.

    Parameters
    ----------
    trace : Trace
        Any trace.
    detail : {"memory", "statement"}
        "memory" keeps the steps that access an array (a single constant counts as a number), shuffle values between
        lanes, print, wait at a barrier or return; a block without such steps keeps its last one, so that every block is
        shown. "statement" keeps all.
    order : PlayOrder
        The trace's play order, if it is known.
    """
    frames = _frames_of(trace, order or play_order(trace))
    if detail == "memory":
        keep = _shown_steps(trace)[frames.steps]
        last = np.full(trace.launch.grid.count, -1, np.int64)
        last[frames.blocks] = np.arange(len(frames))
        last[frames.blocks[keep]] = -1
        keep[last[last >= 0]] = True
        frames = Frames(frames.blocks[keep], frames.steps[keep])
    return _add_marks(trace, frames)


def playlist_of_warp(trace: Trace, whole: Playlist, warp: int) -> Playlist:
    """Return the frames in which a warp (number in its block) of their block takes part."""
    size, blocks = trace.launch.block.count, np.int64(trace.launch.grid.count)
    lanes = np.concatenate([np.zeros(0, np.int32), *trace.masks])
    mask = np.repeat(np.arange(len(trace.masks)), [len(mask) for mask in trace.masks])
    own = lanes % size // WARP_SIZE == warp
    pairs = np.unique(mask[own] * blocks + lanes[own] // size)
    frames = whole.frames
    kept = np.isin(trace.step_mask[frames.steps] * blocks + frames.blocks, pairs)
    found = Frames(frames.blocks[kept], frames.steps[kept])
    new_turn = np.diff(found.blocks, prepend=-1) != 0
    at = np.cumsum(kept) - 1
    return Playlist(
        found,
        _positions(new_turn),
        _positions(_begins_phase(trace, found, new_turn)),
        at[whole.barriers[kept[whole.barriers]]].astype(np.int32),
        at[whole.hazards[kept[whole.hazards]]].astype(np.int32),
    )


def _blocks_of_masks(trace: Trace) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the blocks of all lane sets, concatenated, and the offset of each set."""
    size = trace.launch.block.count
    lengths = np.array([len(mask) for mask in trace.masks], np.int64)
    lanes = np.concatenate([np.zeros(0, np.int32), *trace.masks])
    owner = np.repeat(np.arange(len(lengths)), lengths)
    block = (lanes // size).astype(np.int32)
    # Lane sets are sorted, so a block's lanes are neighbours.
    begins = np.ones(len(block), bool)
    begins[1:] = (np.diff(block) != 0) | (np.diff(owner) != 0)
    first = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(np.bincount(owner[begins], minlength=len(lengths)), out=first[1:])
    return block[begins], first


def _frames_of(trace: Trace, order: PlayOrder) -> Frames:
    """Return a frame for each block in each step, in the order played."""
    mask_blocks, first = _blocks_of_masks(trace)
    rows = trace.step_mask
    counts = first[rows + 1] - first[rows]
    steps = np.repeat(np.arange(trace.steps, dtype=np.int32), counts)
    within = np.arange(len(steps)) - np.repeat(np.cumsum(counts) - counts, counts)
    blocks = mask_blocks[np.repeat(first[rows], counts) + within]
    # A stable sort keeps the steps of a turn in their order.
    played = np.argsort(order.turns(blocks, steps), kind="stable")
    return Frames(blocks[played], steps[played])


def _shown_steps(trace: Trace) -> NDArray[np.bool_]:
    """Mark the steps that access an array, shuffle, print, wait or return."""
    places = source_of(trace).places
    always = [
        s.kind in _WAITS or _prints_or_returns(places.get(s.span)) or any(map(has_shuffle, parts_at(trace, number)))
        for number, s in enumerate(trace.statements)
    ]
    keep: NDArray[np.bool_] = np.array([*always, False])[trace.step_statement]
    arrays = (trace.arrays[site.array] for site in trace.sites)
    seen = np.array([info.space != "constant" or info.size > 1 for info in arrays], bool)
    keep[trace.group_step[seen[trace.group_site]]] = True
    return keep


def _prints_or_returns(place: Place | None) -> bool:
    """Return whether a statement prints, or returns from the kernel (or another void function)."""
    if place is None:
        return False
    return has_print(place.node) if isinstance(place.node, Do) else place.node == Return(place.node.span, None)


def _add_marks(trace: Trace, frames: Frames) -> Playlist:
    blocks, steps = frames.blocks, frames.steps
    new_turn = np.diff(blocks, prepend=-1) != 0
    kinds = [*(s.kind in _WAITS for s in trace.statements), False]
    waits = np.array(kinds)[trace.step_statement[steps]]
    pairs = enumerate(pairs_of(trace))
    found = {at for number, pair in pairs if (at := _hazard_position(trace, frames, number, pair)) is not None}
    return Playlist(
        frames,
        _positions(new_turn),
        _positions(_begins_phase(trace, frames, new_turn)),
        _positions(waits),
        np.array(sorted(found), np.int32),
    )


def _begins_phase(trace: Trace, frames: Frames, new_turn: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark the frames in which their block begins a phase."""
    phase = trace.step_phase[frames.steps]
    begins: NDArray[np.bool_] = (phase >= 0) & (new_turn | (np.diff(phase, prepend=-1) != 0))
    starts = np.flatnonzero(new_turn)
    ends, blocks = np.append(starts[1:], len(frames)) - 1, frames.blocks[starts]
    # A turn that continues a block continues its phase, unless the block's turn before ended in another one.
    by_block = np.argsort(blocks, kind="stable")
    before, after = by_block[:-1], by_block[1:]
    same = (blocks[before] == blocks[after]) & (phase[ends[before]] == phase[starts[after]])
    begins[starts[after[same]]] = False
    return begins


def _positions(marks: NDArray[np.bool_]) -> NDArray[np.int32]:
    return np.flatnonzero(marks).astype(np.int32)


def _hazard_position(trace: Trace, frames: Frames, number: int, hazard: Hazard) -> int | None:
    """Return the frame that shows a hazard: in the block of its access, at its step or at its first wrong read."""
    place = shown_at(trace, number)
    if place is not None:
        return _position(frames, *place)
    at = np.flatnonzero(frames.steps >= hazard.step)
    return int(at[0]) if len(at) else len(frames) - 1 if len(frames) else None


def _position(frames: Frames, block: int, step: int) -> int | None:
    own = np.flatnonzero(frames.blocks == block)
    if not len(own):
        return None
    return int(own[min(int(np.searchsorted(frames.steps[own], step)), len(own) - 1)])
