"""Groups of lanes that execute together, and masks of their active lanes.

A mask is None (all lanes of the group), `EMPTY` (none) or a `Mask` (some). Divergence narrows it, and the join of the
paths restores it. Example, for a group of the lanes 0 to 3:

    if (t < 2)      split(None, [1, 1, 0, 0]) gives Mask {0, 1} for this arm and Mask {2, 3} for the other
        a = 1;      executes under {0, 1}
    else
        a = 2;      executes under {2, 3}
    b = a;          union({0, 1}, {2, 3}) covers the group: None again, the fast path of every operation

Equal masks of a group are one object, so that `is` compares them, and the recorder numbers each once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.simt.machine.arithmetic import Value


class Mask:
    """A proper, non-empty subset of a group's lanes; None stands for all lanes, `EMPTY` for none."""

    __slots__ = ("_bases", "_where", "bits", "count", "row")

    def __init__(self, bits: NDArray[np.bool_], count: int) -> None:
        self.bits = bits
        self.count = count
        self.row = -1
        """The recorder's number of this lane set; -1 before it has one."""
        self._where: NDArray[np.intp] | None = None
        self._bases: dict[int, NDArray[np.intp]] = {}

    @property
    def where(self) -> NDArray[np.intp]:
        """Positions in the group of the active lanes."""
        if self._where is None:
            self._where = np.flatnonzero(self.bits)
        return self._where

    def base(self, array: int, bases: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return where the active lanes' copies of an array begin."""
        if array not in self._bases:
            self._bases[array] = bases[self.where]
        return self._bases[array]


EMPTY: Final = Mask(np.zeros(0, bool), 0)

Active = Mask | None

FIRST_CHECK: Final = 1000
"""Rounds after which a loop is checked for running forever."""


class State(NamedTuple):
    """The state of some groups and of the memory at one time (`kernels.simt.machine.deadlock` compares two)."""

    places: dict[int, tuple[int, Active]]
    """For each group that waits: the statement, and the lanes."""
    registers: list[list[Any]]
    memories: list[NDArray[Any]]
    """Copies of the arrays that the kernel writes."""


class LoopRun:
    """One execution of a loop by a group, with a snapshot that `kernels.simt.compiler.infinite_loops` compares with."""

    __slots__ = ("mask", "next_check", "rounds", "snapshot", "snapshot_round", "state", "statement")

    def __init__(self, statement: int) -> None:
        self.statement = statement
        self.rounds = 0
        """Rounds so far."""
        self.next_check = FIRST_CHECK
        """The round in which the loop is checked next."""
        self.snapshot_round = 0
        """The round in which the snapshot was taken."""
        self.mask: Active = None
        """The lanes in the loop at the snapshot."""
        self.snapshot: list[Value] | None = None
        """The variables that decide whether the loop ends, if these are known."""
        self.state: State | None = None
        """Otherwise all registers and the memory."""


class Group:
    """Lanes that execute together: all of a batch of blocks, one warp of each of its blocks, or (interleaved) fewer."""

    __slots__ = (
        "_masks",
        "bases",
        "block",
        "block_order",
        "built_in",
        "epoch",
        "exited",
        "lanes",
        "loops",
        "patterns",
        "phase",
        "row",
        "size",
        "values",
        "warps",
    )

    def __init__(
        self, lanes: NDArray[np.int32], block: NDArray[np.intp], built_in: dict[str, Value], slots: int
    ) -> None:
        self.lanes = lanes
        """Linear number of each thread in the grid, ascending."""
        self.block = block
        """Position of each lane's block in the batch."""
        self.block_order = block
        """Rank of each lane's block, where the order of blocks is visible (printf)."""
        self.size = len(lanes)
        self.built_in = built_in
        """threadIdx.x … blockIdx.z; uniform ones as plain numbers."""
        self.values: list[Any] = [None] * slots
        """Registers, one slot for each variable."""
        self.bases: list[NDArray[np.intp] | None] = []
        """By array: the begin of each lane's copy of a shared or local array; None for arrays of the grid."""
        self.phase = -1
        """Number of the round of the outermost loop with a barrier (`Trace.step_phase`); -1 outside of one."""
        self.epoch = 0
        """Number of barriers passed (`Trace.step_epoch`)."""
        self.loops: list[LoopRun] = []
        """The loops that the group is in, the innermost last."""
        self.row = -1
        """The recorder's number of the set of all lanes; -1 before it has one."""
        self.exited: NDArray[np.bool_] | None = None
        """Lanes that have returned from the kernel; None while none has."""
        self.warps: Any = None
        """Cache of `kernels.simt.intrinsics.warp`: how the lanes form warps."""
        self.patterns: dict[Any, Any] = {}
        """Cache of `kernels.simt.compiler.index.index_patterns`: the index patterns of lane sets that recur."""
        self._masks: dict[bytes, Mask] = {}

    def active(self, mask: Active) -> int:
        """Return the number of active lanes."""
        return self.size if mask is None else mask.count

    def narrow(self, mask: Active, bits: NDArray[np.bool_]) -> Active:
        """Return the active lanes whose bit is set; the same object if these are all of them."""
        if mask is not None:
            bits = bits & mask.bits
        count = int(np.count_nonzero(bits))
        # Returning the same object keeps cached positions, and lets callers test with `is` whether the lanes diverged.
        if count == (self.size if mask is None else mask.count):
            return mask
        return self._mask(bits, count) if count else EMPTY

    def split(self, mask: Active, condition: Value) -> tuple[Active, Active]:
        """Return (the active lanes for which a condition is true, the other active lanes)."""
        # A uniform condition (kernel arguments, loop counters) is a Python bool and costs no vector operation.
        if condition is True:
            return mask, EMPTY
        if condition is False:
            return EMPTY, mask
        then = self.narrow(mask, condition)
        # Bits of inactive lanes are arbitrary: only `narrow`, which intersects with the mask, decides.
        if then is mask:
            return mask, EMPTY
        return then, mask if then is EMPTY else self.narrow(mask, ~condition)

    def union(self, left: Active, right: Active) -> Active:
        """Return the lanes of two disjoint sets."""
        # The two arms of a branch are disjoint, so their union is complete exactly if the counts add up to the group.
        if left is EMPTY or right is None:
            return right
        if right is EMPTY or left is None:
            return left
        count = left.count + right.count
        return None if count == self.size else self._mask(left.bits | right.bits, count)

    def exit(self, mask: Active) -> None:
        """Note that the active lanes return from the kernel."""
        # Recorded for the scheduler and the warp functions; the lanes are removed from masks by the statements around.
        bits = np.ones(self.size, bool) if mask is None else mask.bits
        self.exited = bits if self.exited is None else self.exited | bits

    def _mask(self, bits: NDArray[np.bool_], count: int) -> Mask:
        # The same few lane sets recur in every iteration: reusing the object keeps its cached positions and number.
        return self._masks.setdefault(bits.tobytes(), Mask(bits, count))
