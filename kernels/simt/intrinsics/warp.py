"""Warps of a group, and checks of the masks that calls of warp functions pass.

A warp is 32 threads of a block with consecutive linear numbers; the last one of a block may have fewer. All
lanes of a warp are in the same group, so a lane that is active in the group is active in the warp.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend.types import UINT, VOID
from kernels.launch import WARP_SIZE
from kernels.simt.compiler.compiled_values import Code, constant
from kernels.simt.compiler.expressions.operators import convert, scalar
from kernels.simt.machine import interleaving
from kernels.simt.machine.arithmetic import Value, is_float, ndarray
from kernels.simt.machine.hazards import Place

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from kernels.frontend.ast import Call, Span
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.lanes import Active, Group

ALL_LANES: Final = 0xFFFFFFFF


class Warps:
    """The warps of a group.

    Example: a group of warp 1 of three blocks of 48 threads has 48 lanes in three warps of 16; `position[2, 3]` is 35,
    `position[2, 16]` is -1, and `present` is 0xFFFF for each warp.
    """

    __slots__ = ("_sources", "lane", "position", "present", "warp")

    def __init__(self, group: Group, threads: int) -> None:
        block, thread = np.divmod(group.lanes.astype(np.intp), threads)
        self.lane = thread % WARP_SIZE
        """Number of each lane in its warp."""
        # Warps do not cross blocks: a block of 48 threads has warps of 32 and 16 (CUDA C++ Programming Guide, "SIMT
        # Architecture").
        number = block * -(-threads // WARP_SIZE) + thread // WARP_SIZE
        self.warp = np.cumsum(np.diff(number, prepend=number[0]) != 0)
        """Number of each lane's warp in the group."""
        self.position = np.full((int(self.warp[-1]) + 1, WARP_SIZE), -1, np.intp)
        """Position in the group of the 32 lanes of each warp; -1 for a lane that does not exist."""
        self.position[self.warp, self.lane] = np.arange(group.size)
        self._sources: dict[Any, tuple[NDArray[np.intp], NDArray[np.intp]]] = {}
        self.present = self.words(np.ones(group.size, bool))
        """Bits of the lanes that each warp has."""

    def table(self, values: NDArray[Any], missing: Any = 0) -> NDArray[Any]:
        """Return a row of 32 values for each warp from those of all lanes; `missing` for lanes that do not exist."""
        return np.where(self.position >= 0, values[self.position], values.dtype.type(missing))

    def registers(self, words: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """Return values that all lanes have in some registers by warp, [warp, register, lane]; 0 for absent lanes."""
        table = np.zeros((len(self.position), len(words), WARP_SIZE), words[0].dtype)
        for number, word in enumerate(words):
            table[self.warp, number, self.lane] = word
        return table

    def words(self, bits: NDArray[np.bool_]) -> NDArray[np.uint32]:
        """Return a word for each warp from the bits of all lanes."""
        return np.packbits(self.table(bits), axis=1, bitorder="little").view(np.uint32)[:, 0]

    def active(self, mask: Active) -> NDArray[np.uint32]:
        """Return a word for each warp with the bits of its active lanes."""
        return self.present if mask is None else self.words(mask.bits)

    def sources(
        self, key: Any, lane: Callable[[NDArray[np.intp]], NDArray[np.intp]]
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return for each lane the source lane, and its position in the group; cached under `key` unless it is None."""
        if key not in self._sources:
            chosen = lane(self.lane) & WARP_SIZE - 1  # inactive lanes may compute any number
            found = chosen, self.position[self.warp, chosen]
            if key is None:
                return found
            self._sources[key] = found
        return self._sources[key]


def warps_of(c: Context, group: Group) -> Warps:
    """Return the warps of a group."""
    if group.warps is None:
        interleaving.rejoin_warps(c.machine.assumptions)
        # A group of one thread has no other lanes to exchange values with.
        if c.machine.assumptions.interleaving == interleaving.THREADS:
            c.machine.assumptions.recompile_whole_warps_only(interleaving.WARPS)
        group.warps = Warps(group, c.machine.launch.block.count)
    found: Warps = group.warps
    return found


def bit(words: Value, lane: NDArray[np.intp]) -> Value:
    """Return whether a word, one for all or one for each lane, has the bit of each lane."""
    if type(words) is not ndarray and words == ALL_LANES:
        return True
    return np.asarray(words, np.uint32) >> lane.astype(np.uint32) & np.uint32(1) != 0


class _MaskedCalls(Counter[str]):
    """By warp function: the number of its calls in the kernel; a call in a loop counts twice."""


class LaneMask:
    """The mask argument of a warp function, and its checks (CUDA C++ Programming Guide, "Warp Vote Functions")."""

    def __init__(self, c: Context, node: Call, code: Code | None) -> None:
        """Convert the compiled mask; None if the function has none and uses the active lanes."""
        if code is not None:
            if is_float(scalar(c, code, node.span)):
                raise c.refuse(node.span, f"the mask of {node.function} is an unsigned number")
            code = convert(c, code, UINT, node.span)
        self._code = code
        self._context = c
        self._span = node.span
        self._function = node.function
        self._place = Place(node.span)
        again = any(frame.loops for frame in c.frames)
        c.state_of(_MaskedCalls)[node.function] += 2 if again else 1

    def of(self, group: Group, mask: Active) -> Value:
        """Return the value of the mask, one for all or one for each lane."""
        return ALL_LANES if self._code is None else self._code.run(group, mask)

    def check(self, group: Group, mask: Active, warps: Warps, names: Value) -> None:
        """Report lanes whose mask lacks themselves, or has a lane that does not make the call."""
        # The usual call, `__shfl_sync(0xFFFFFFFF, …)` by all lanes, needs no test of any lane.
        if self._code is None or (mask is None and type(names) is not ndarray and names == ALL_LANES):
            return
        itself = group.narrow(mask, np.broadcast_to(~np.asarray(bit(names, warps.lane)), (group.size,)))
        if itself is None or itself.count:
            lane = int(itself.where[0]) if itself is not None else 0
            self.report(
                group,
                "warp-mask",
                lane,
                group.active(itself),
                (lane,),
                f"calls {self._function} with a mask that does not name lane {warps.lane[lane]}, its own",
                "give a mask that names every lane which makes the call",
            )
        wrong, elsewhere = self.wait_for_others(group, mask, warps, names)
        if wrong is None or wrong.count:
            lane = int(wrong.where[0]) if wrong is not None else 0
            own = int(np.asarray(names)[lane] if type(names) is ndarray else names)
            missing = (own & int(elsewhere[warps.warp[lane]])) & -(own & int(elsewhere[warps.warp[lane]]))
            other = int(warps.position[warps.warp[lane], missing.bit_length() - 1])
            self.report(
                group,
                "warp-mask",
                lane,
                group.active(wrong),
                (lane, other),
                f"calls {self._function} with a mask that names lane {warps.lane[other]} of its warp, "
                "which does not come here: it took another way",
                "name only the lanes that reach the call, or move the call out of the branch",
            )

    def wait_for_others(
        self, group: Group, mask: Active, warps: Warps, names: Value
    ) -> tuple[Active, NDArray[np.uint32]]:
        """Return the lanes whose mask has a lane that is in another branch, and the lanes of each warp that are.

        Raises
        ------
        Recompile
            If those may make another call of the function, so that both calls are one (`split_warps`).
        """
        # Lanes that have returned are not elsewhere: they cannot make the call any more, and a GPU does not wait for
        # them.
        elsewhere = warps.present & ~warps.active(mask)
        if group.exited is not None:
            elsewhere &= ~warps.words(group.exited)
        absent = (np.asarray(names, np.uint32) & elsewhere[warps.warp]) != 0
        wrong = group.narrow(mask, np.broadcast_to(absent, (group.size,)))
        if wrong is None or wrong.count:
            # If the kernel has one call, not in a loop, the missing lanes cannot reach it: that is reported at once.
            again = self._code is not None and self._context.state_of(_MaskedCalls)[self._function] > 1
            if again:
                interleaving.split_warps(self._context.machine)
        return wrong, elsewhere

    def report(
        self, group: Group, kind: str, lane: int, count: int, sides: tuple[int, ...], what: str, advice: str
    ) -> None:
        """Report the lane at a position of the group; `sides` are the positions of all lanes involved."""
        hazards, span = self._context.machine.hazards, self._span
        accesses = tuple((int(group.lanes[side]), span, "read") for side in sides)
        hazards.report(
            kind,
            self._place,
            self._context.machine.recorder.current,
            count,
            accesses,  # type: ignore[arg-type]
            lambda: f"{hazards.name(int(group.lanes[lane]))} (lane {self._lane(group, lane)}) {what}; {advice}",
        )

    def _lane(self, group: Group, position: int) -> int:
        return int(warps_of(self._context, group).lane[position])


def sync_warp(c: Context, node: Call) -> Code:
    """Compile `__syncwarp(mask)`: active lanes execute together anyway; the mask is checked, and accesses ordered."""
    if len(node.arguments) > 1:
        raise c.refuse(node.span, "__syncwarp takes one mask, or nothing")
    names = LaneMask(c, node, c.compile(node.arguments[0]) if node.arguments else constant(ALL_LANES, UINT))

    def run(group: Group, mask: Active) -> Value:
        warps = warps_of(c, group)
        named = names.of(group, mask)
        names.check(group, mask, warps, named)
        c.machine.recorder.sync_warp(group, mask, named)
        return 0

    return Code(run, VOID, None, False)


def check_whole_warps(c: Context, span: Span, name: str) -> Callable[[Group, Active], None]:
    """Compile the check that all 32 lanes of each warp make the call."""
    hazards = c.machine.hazards

    def check(group: Group, mask: Active) -> None:
        warps = warps_of(c, group)
        active = warps.active(mask)
        bad = np.flatnonzero((active != ALL_LANES) & (active != 0))
        if len(bad):
            position = int(np.flatnonzero((warps.warp == bad[0]) & (True if mask is None else mask.bits))[0])
            lane = int(group.lanes[position])
            missing = int(~active[bad[0]] & np.uint32(ALL_LANES))
            hazards.report(
                "warp-mask",
                Place(span),
                c.machine.recorder.current,
                len(bad),
                ((lane, span, "read"),),
                lambda: (
                    f"{hazards.name(lane)} calls {name} without lane "
                    f"{(missing & -missing).bit_length() - 1} of its warp; all 32 lanes of a warp hold a tile "
                    "together: let all of them come here"
                ),
            )

    return check
