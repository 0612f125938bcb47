"""Blocks with which a selection can be launched, and why others cannot. No Qt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Final, Literal

from gui.selection.launch_check import check_selection
from kernels.errors import TilescopeError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gui.selection.session import Selection
    from kernels.launch import Dim3

Axis = Literal["x", "y"]
Limit = Literal["threads", "requirement", "device"]
"""Threads in a block, a requirement of the kernel, or another limit of the device or of the launch rule."""

_NEAR: Final = 4
"""A legal block snaps if each of its sides is at most a quarter of the wanted side, or one thread, away."""

_FARTHEST: Final = 64
"""Threads by which a side grows, at most, to reach the next legal one; most rules ask for a multiple of 32 or less."""

_SIDES: Final = (*range(1, 9), *(2**n for n in range(4, 11)))
"""Sides that are tried to find out whether a kernel runs with more than one block."""


@dataclass(frozen=True, slots=True)
class BlockRefusal:
    """Reason that a block cannot be launched."""

    block: Dim3
    limit: Limit
    most: int
    """Threads in a block of the device, at most."""
    reason: str = ""
    """For a requirement and other limits: what would work, in words."""

    @property
    def words(self) -> str:
        """The reason in one line, with the numbers of the case."""
        if self.limit == "threads":
            return f"{self.block} = {self.block.count:,} threads: a block has at most {self.most:,}"
        return f"{self.block}: {self.reason}"


class BlockSizes:
    """Legal blocks of a kernel at one size on one device; each block is checked once."""

    def __init__(self, selection: Selection) -> None:
        self._selection = selection
        self._refusals: dict[Dim3, BlockRefusal | None] = {}

    def belongs_to(self, selection: Selection) -> bool:
        """Return whether a selection has the same legal blocks."""
        return replace(selection, block=self._selection.block) == self._selection

    @property
    def several(self) -> bool:
        """True if the kernel runs with more than one block."""
        kernel, now = self._selection.kernel, self._selection.block
        tried = (*kernel.blocks, *(now._replace(x=x, y=y) for x, y in product(_SIDES, _SIDES)))
        return any(block != now and self.refusal(block) is None for block in tried)

    def refusal(self, block: Dim3) -> BlockRefusal | None:
        """Return why a block cannot be launched; None if it can."""
        if block not in self._refusals:
            self._refusals[block] = self._check(block)
        return self._refusals[block]

    def nearest(self, wanted: Dim3) -> Dim3 | None:
        """Return the legal block nearest to a wanted one; None if there is none near it, or it has too many threads.

        Of 34×32 = 1,088 threads the nearest legal block would be 33×31, an unlikely choice.
        """
        refusal = self.refusal(wanted)
        if refusal is not None and refusal.limit == "threads":
            return None
        near = (range(max(1, n - max(1, n // _NEAR)), n + max(1, n // _NEAR) + 1) for n in (wanted.x, wanted.y))
        candidates = (wanted._replace(x=x, y=y) for x, y in product(*near))
        return self._first(sorted(candidates, key=lambda b: ((b.x - wanted.x) ** 2 + (b.y - wanted.y) ** 2, b)))

    def next(self, block: Dim3, axis: Axis, direction: int) -> Dim3 | None:
        """Return the next legal block with a longer (1) or shorter (-1) side; None if there is none.

        The other side stays, or where the kernel refuses that, changes by as much: a tile that must be square.
        """
        ahead = range(direction, direction * (_FARTHEST + 1), direction)
        if axis == "x":
            alone = [block._replace(x=block.x + n) for n in ahead]
        else:
            alone = [block._replace(y=block.y + n) for n in ahead]
        return self._first(alone) or self._first(block._replace(x=block.x + n, y=block.y + n) for n in ahead)

    def _first(self, blocks: Iterable[Dim3]) -> Dim3 | None:
        return next((block for block in blocks if min(block) >= 1 and self.refusal(block) is None), None)

    def _check(self, block: Dim3) -> BlockRefusal | None:
        wanted = replace(self._selection, block=block)
        most = wanted.device.limits.threads_per_block
        if block.count > most:
            return BlockRefusal(block, "threads", most)
        try:
            unmet = wanted.kernel.unmet_requirement(wanted.size, block)
            if unmet:
                return BlockRefusal(block, "requirement", most, unmet)
            check_selection(wanted)
        except TilescopeError as error:
            return BlockRefusal(block, "device", most, error.titled)
        return None
