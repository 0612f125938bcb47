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

    from kernels.simt.machine.affine_index import Pattern
    from kernels.simt.machine.arithmetic import Value


class Mask:
    """A proper, non-empty subset of a group's lanes. All lanes are written None, no lane `EMPTY`."""

    __slots__ = ("_bases", "_where", "bits", "count", "row")

    def __init__(self, bits: NDArray[np.bool_], count: int) -> None:
        self.bits = bits
        self.count = count
        self.row = -1  # the recorder's number for it, once it has one
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


LONG: Final = 1000
"""Rounds after which a loop is looked at; again whenever it has run twice as long."""


class State(NamedTuple):
    """The state of some groups and of the memory at one time (`kernels.simt.machine.deadlock` compares two)."""

    places: dict[int, tuple[int, Active]]
    """By group that waits: the statement, and the lanes."""
    registers: list[list[Any]]
    memories: list[NDArray[Any]]
    """Copies of the arrays that the kernel writes."""


class Rounds:
    """One run of a loop by a group: the loop's statement, rounds so far, and in which round it is looked at next.

    `before`, or `state`, is how it stood in round `since`, when the lanes of `mask` were in it.
    """

    __slots__ = ("before", "due", "made", "mask", "since", "state", "statement")

    def __init__(self, statement: int) -> None:
        self.statement = statement
        self.made = 0
        self.due = LONG
        self.since = 0
        self.mask: Active = None
        self.before: list[Value] | None = None
        self.state: State | None = None


class Group:
    """Lanes that execute together: all of a batch of blocks, or one warp of each of its blocks.

    Attributes
    ----------
    lanes : int32[size]
        Linear number of each thread in the grid, ascending.
    block : intp[size]
        Position of each lane's block in the batch.
    built_in : dict
        Values of threadIdx.x … blockIdx.z; uniform ones as plain numbers.
    values : list
        Registers, one slot a variable.
    block_order : intp[size]
        Rank of each lane's block where the order of blocks shows (printf).
    bases : list
        By array: where each lane's copy of a shared or local array begins; None for arrays of the grid.
    loops : list
        The loops that run, the innermost last.
    exited : bool[size] | None
        Lanes that have returned from the kernel; None while none has.
    patterns : dict
        What indices have in common for sets of lanes that come back (`kernels.simt.compiler.index_patterns`).
    warps : object
        How the lanes form warps, once a warp function has asked (`kernels.simt.intrinsics.warp`).
    """

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
        self.block = block
        self.block_order = block
        self.size = len(lanes)
        self.built_in = built_in
        self.values: list[Any] = [None] * slots
        self.bases: list[NDArray[np.intp] | None] = []
        self.phase = -1
        self.epoch = 0
        self.loops: list[Rounds] = []
        self.row = -1
        self.exited: NDArray[np.bool_] | None = None
        self.warps: Any = None
        self.patterns: dict[tuple[Pattern, Mask], Pattern | None] = {}
        self._masks: dict[bytes, Mask] = {}

    def active(self, mask: Active) -> int:
        """Return the number of active lanes."""
        return self.size if mask is None else mask.count

    def narrow(self, mask: Active, bits: NDArray[np.bool_]) -> Active:
        """Active lanes whose bit is set; the same object when that is all of them."""
        if mask is not None:
            bits = bits & mask.bits
        count = int(np.count_nonzero(bits))
        if count == (self.size if mask is None else mask.count):
            return mask
        return self._mask(bits, count) if count else EMPTY

    def split(self, mask: Active, condition: Value) -> tuple[Active, Active]:
        """Active lanes for which a condition holds, and the others."""
        if condition is True:
            return mask, EMPTY
        if condition is False:
            return EMPTY, mask
        then = self.narrow(mask, condition)
        if then is mask:
            return mask, EMPTY
        return then, mask if then is EMPTY else self.narrow(mask, ~condition)

    def union(self, left: Active, right: Active) -> Active:
        """Lanes of either of two sets that share none."""
        if left is EMPTY or right is None:
            return right
        if right is EMPTY or left is None:
            return left
        count = left.count + right.count
        return None if count == self.size else self._mask(left.bits | right.bits, count)

    def exit(self, mask: Active) -> None:
        """Note that the active lanes return from the kernel."""
        bits = np.ones(self.size, bool) if mask is None else mask.bits
        self.exited = bits if self.exited is None else self.exited | bits

    def _mask(self, bits: NDArray[np.bool_], count: int) -> Mask:
        # The same few lane sets come back at every iteration: found again, they keep positions and number.
        return self._masks.setdefault(bits.tobytes(), Mask(bits, count))
