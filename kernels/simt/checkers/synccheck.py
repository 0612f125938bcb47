"""Synccheck: barriers at which some threads wait and others never arrive (Compute Sanitizer, "Synccheck Tool").

Example: `if (t < 40) __syncthreads();` in a block of 64: 40 threads wait, 24 do not. A GPU may hang or continue with
unintended side effects (CUDA C++ Programming Guide, "Synchronization Functions"); here the barrier is reported, and the
40 threads continue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kernels.simt.machine.hazards import Place

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from kernels.frontend.ast import Span
    from kernels.launch import Launch
    from kernels.simt.machine.hazards import Hazards


class Synccheck:
    """Reports incomplete barriers, each with a thread that waits and, if one is known, a thread that does not."""

    def __init__(self, hazards: Hazards, launch: Launch) -> None:
        self._hazards = hazards
        self._launch = launch

    def incomplete_grid(self, step: int, span: Span, lanes: NDArray[np.int32]) -> None:
        """Report that some threads of the grid, but not all, wait at a barrier of the grid."""
        threads, name = self._launch.thread_count, self._hazards.name
        there, missing = int(lanes[0]), int(np.setdiff1d(np.arange(threads), lanes)[0])
        self._report(
            step,
            span,
            1,
            (there, missing),
            lambda: (
                f"{len(lanes)} of the grid's {threads} threads wait for the whole grid, the others do not: "
                f"{name(there)} waits, {name(missing)} does not; every thread of the grid must reach it"
            ),
        )

    def incomplete_blocks(self, step: int, span: Span, lanes: NDArray[np.int32]) -> None:
        """Report blocks of which some threads, but not all, wait at `__syncthreads()`; other blocks are complete."""
        threads, name = self._launch.block.count, self._hazards.name
        # Ascending lanes are whole blocks if every run of `threads` of them begins and ends with a block.
        first, last = lanes[::threads], lanes[threads - 1 :: threads]
        if len(first) == len(last) and (first % threads == 0).all() and (last - first == threads - 1).all():
            return
        blocks, counts = np.unique(lanes // threads, return_counts=True)
        broken = np.flatnonzero(counts < threads)
        if not len(broken):
            return
        block = int(blocks[broken[0]])
        waiting = lanes[lanes // threads == block]
        there = int(waiting[0])
        missing = int(np.setdiff1d(np.arange(block * threads, (block + 1) * threads), waiting)[0])
        self._report(
            step,
            span,
            len(broken),
            (there, missing),
            lambda: (
                f"{len(waiting)} of the block's {threads} threads wait at __syncthreads(), the others do not: "
                f"{name(there)} waits, {name(missing)} does not; "
                "every thread of a block must reach the same barrier: move it out of the branch or loop, and let a "
                "thread without work skip the work, not the barrier"
            ),
        )

    def incomplete_groups(
        self, step: int, span: Span, lanes: NDArray[np.int32], keys: NDArray[np.int64], sizes: NDArray[np.int64]
    ) -> None:
        """Report parts of blocks (tiles, numbered barriers) of which too few threads wait at a barrier."""
        known, counts = np.unique(keys, return_counts=True)
        # Lanes at one barrier may belong to several parts, some of them complete.
        short = np.flatnonzero(counts[np.searchsorted(known, keys)] < sizes)
        there = int(lanes[short[0]])
        arrived, needed = int((keys == keys[short[0]]).sum()), int(sizes[short[0]])
        self._report(
            step,
            span,
            len(np.unique(keys[short])),
            (there,),
            lambda: (
                f"{arrived} of the {needed} threads that this barrier waits for come to it, the others do not: "
                f"{self._hazards.name(there)} waits; every thread of the group must reach it: move it out of the "
                "branch or loop"
            ),
        )

    def incomplete_phase(
        self, step: int, span: Span, lanes: NDArray[np.int32], missing: tuple[int, int] | None
    ) -> None:
        """Report lanes that wait for the end of a phase with too few arrivals, or with other bytes than it expects."""
        lane = int(lanes[0])
        if missing is not None:
            expected, arriving = missing
            self._report(
                step,
                span,
                len(lanes),
                (lane,),
                lambda: (
                    f"{self._hazards.name(lane)} waits for a phase of a barrier that never ends: it expects "
                    f"{expected:,} bytes (expect_tx), and the copies that arrive in it have {arriving:,}; expect the "
                    "bytes of the whole tile, also where it reaches over the edge of its array"
                ),
            )
            return
        self._report(
            step,
            span,
            len(lanes),
            (lane,),
            lambda: (
                f"{self._hazards.name(lane)} waits for a phase of a barrier that never ends: fewer threads arrive than "
                "it takes, and every other thread has returned or waits, too; count the threads that arrive in each "
                "phase"
            ),
        )

    def _report(self, step: int, span: Span, count: int, lanes: tuple[int, ...], message: Callable[[], str]) -> None:
        self._hazards.report(
            "barrier-divergence", Place(span), step, count, tuple((lane, span, "read") for lane in lanes), message
        )
