"""Compiles `wgmma` (PTX ISA, "Asynchronous warpgroup level matrix instructions"): four warps multiply together.

Each warp adds its 16 rows of 64, so that every warp is executed by itself. Factors in shared memory are found by
descriptors, and read when the instruction is issued: the 16-byte chunks of a tile are shared out among the lanes that
read it, b among the 128 of the warpgroup, a among the 32 that need its rows. For racecheck such a read lasts until
`wgmma.wait_group`, and it is one of the async proxy: what threads have stored must pass `fence.proxy.async` first.

The sums are stored when the instruction is issued, and the registers have no value until the wait, unless another
`wgmma` adds to them. `wgmma.fence` is needed before the first instruction, and again after a wait.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from kernels.architecture import Architecture
from kernels.frontend.types import BOOL, ULONG
from kernels.simt.compiler.compiled_values import Code, Element
from kernels.simt.compiler.expressions.load_store import loader, read_announcer
from kernels.simt.compiler.expressions.lvalues import locate
from kernels.simt.compiler.expressions.operators import convert
from kernels.simt.intrinsics.async_copies import COPY_TYPES, pointer_to_shared
from kernels.simt.intrinsics.warp import check_whole_warps, warps_of
from kernels.simt.libraries.tensor_cores.accumulation import accumulate
from kernels.simt.libraries.tensor_cores.descriptors import CHUNK_BYTES, Descriptors
from kernels.simt.libraries.tensor_cores.mma import SUM_TYPES, Operands, factor_numbers
from kernels.simt.machine.fragments import left_factor
from kernels.simt.machine.hazards import Place
from kernels.simt.machine.lanes import EMPTY

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from kernels.frontend.ast import Assembly, Expr, Span
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.memory import Memory, PendingRead
    from kernels.simt.machine.steps import Run

    Array = NDArray[Any]

_MULTIPLY: Final = re.compile(
    r"wgmma\.mma_async\.sync\.aligned\.m64n(\d+)k(\d+)\.(\w+)\.(\w+)\.(\w+)\s*"
    r"\{([^}]*)\}\s*,\s*(?:\{([^}]*)\}|%(\d+))\s*,\s*%(\d+)\s*,\s*%(\d+)\s*,\s*([-\d\s,]*?)\s*;?"
)
_WAIT: Final = re.compile(r"wgmma\.wait_group\.sync\.aligned\s+(\d+)\s*;?")
_GROUP: Final = 128
"""Threads of a warpgroup."""

_DEPTHS: Final = {("f16", "f16"): 16, ("f16", "f32"): 16, ("bf16", "f32"): 16, ("tf32", "f32"): 8}
"""By the types of the factors and of the sums; always 32 bytes."""

AT_ONCE: Final = {"f16": 16, "bf16": 16, "tf32": 8}
"""Products that are added at once, all of an instruction: probed on an H200. `mma.sync` adds four of tf32."""

ADVICE: Final = (
    "use m64nNk16 with factors f16 or bf16, or m64nNk8 with tf32, both alike, sums f32 (of f16 also f16), and N a "
    "multiple of 8 up to 256"
)


def instruction(c: Context, node: Assembly, text: str) -> Run | None:
    """Compile one of these instructions; None for any other."""
    architecture = Architecture.of_macros(c.program.defines)
    if architecture.name != "sm_90a":
        reason = f"wgmma is an instruction of sm_90a, and this launch is the code for {architecture}"
        raise c.refuse(node.span, f"{reason}: choose --arch sm_90a, or a GPU of compute capability 9.0")
    if c.machine.launch.block.count % _GROUP:
        threads = c.machine.launch.block.count
        raise c.refuse(
            node.span, f"wgmma is executed by warpgroups of 128 threads; a block of {threads} has a part of one"
        )
    multiply, waits = _MULTIPLY.fullmatch(text), _WAIT.fullmatch(text)
    if multiply:
        return _multiply(c, node, multiply)
    if waits:
        return _wait(c, node, int(waits[1]))
    name = text.rstrip(" ;")
    slot = c.state_of(_Slot).of(c)
    if name == "wgmma.fence.sync.aligned":
        return lambda group, mask: _state(group, slot).fence(mask)
    if name == "wgmma.commit_group.sync.aligned":
        return lambda group, mask: _state(group, slot).commit(mask)
    raise c.unsupported(node.span, f"ptx instruction '{name}'; {ADVICE}")


# --- instructions in flight


class _Sums(NamedTuple):
    """The registers of one array that instructions write: their positions, [register, lane], of some lanes."""

    memory: Memory
    at: Array


@dataclass(slots=True)
class _Running:
    """An instruction that was issued and not waited for."""

    lanes: NDArray[np.bool_]
    """The lanes that have not waited."""
    committed: NDArray[np.int32]
    """Groups that each lane had committed before."""
    sums: list[_Sums]
    reads: list[PendingRead]
    cause: Callable[[], str]

    def mark(self, lanes: NDArray[np.bool_], *, pending: bool) -> None:
        """Mark the sums of some lanes as without a value, or with one."""
        for memory, at in self.sums:
            memory.set_pending(at[:, lanes], self.cause if pending else None)


@dataclass(slots=True)
class _State:
    """The instructions of a group of lanes that are in flight, in the order of issue."""

    fenced: NDArray[np.bool_]
    committed: NDArray[np.int32]
    running: list[_Running] = field(default_factory=list)
    results: list[Array] = field(default_factory=list)
    """The sums that the last instruction gave."""

    def fence(self, mask: Active) -> None:
        self.fenced = self.fenced | _bits(self, mask)

    def commit(self, mask: Active) -> None:
        self.committed = self.committed + _bits(self, mask).astype(np.int32)

    def mark(self, *, pending: bool) -> None:
        for one in self.running:
            one.mark(one.lanes, pending=pending)


@dataclass(slots=True)
class _Slot:
    """The register that holds the state of a group."""

    slot: int = -1

    def of(self, c: Context) -> int:
        if self.slot < 0:
            self.slot = c.slot()
        return self.slot


def _state(group: Group, slot: int) -> _State:
    if group.values[slot] is None:
        group.values[slot] = _State(np.zeros(group.size, bool), np.zeros(group.size, np.int32))
    found: _State = group.values[slot]
    return found


def _bits(state: _State, mask: Active) -> NDArray[np.bool_]:
    return np.ones(len(state.fenced), bool) if mask is None else mask.bits


def _wait(c: Context, node: Assembly, latest: int) -> Run:
    slot, recorder = c.state_of(_Slot).of(c), c.machine.recorder
    check = check_whole_warps(c, node.span, "wgmma.wait_group")

    def run(group: Group, mask: Active) -> None:
        check(group, mask)
        state = _state(group, slot)
        waiting = _bits(state, mask)
        for one in state.running:
            # As with cp.async: group g is complete if g < committed - latest.
            ready = one.lanes & waiting & (one.committed < state.committed - np.int32(latest))
            if ready.any():
                one.mark(ready, pending=False)
                for read in one.reads:
                    recorder.finish_read(read, group.lanes[ready])
                one.lanes = one.lanes & ~ready
                state.fenced = state.fenced & ~ready
        state.running = [one for one in state.running if one.lanes.any()]
        state.mark(pending=True)  # a later instruction may add to the same registers

    return run


# --- wgmma.mma_async


def _multiply(c: Context, node: Assembly, match: re.Match[str]) -> Run:
    columns, depth, sums, factors = int(match[1]), int(match[2]), match[3], match[4]
    right_factors = match[5]
    known = _DEPTHS.get((factors, sums)) == depth and right_factors == factors
    if not known or columns % 8 or not 8 <= columns <= 256:
        raise c.unsupported(node.span, f"{match[0].split()[0]}; {ADVICE}")
    from_registers = match[7] is not None
    signs, turned_a, turned_b = _immediates(c, node, match[11], factors, from_registers=from_registers)
    c.racecheck.async_proxy = True
    operands, slot = Operands(c, node), c.state_of(_Slot).of(c)
    count = columns // 4 if sums == "f16" else columns // 2
    single = sums == "f32"
    scale = convert(c, operands.code(int(match[10])), BOOL, node.span).run
    with c.conditional():
        total = operands.words(match[6], count, single=single)
    put = operands.put(match[6], count, single=single)
    registers = _register_positions(c, [operands.expression(n) for n in operands.numbers(match[6], count)])
    left = operands.words(match[7], 4) if from_registers else None
    tile_a = None if from_registers else _Tile(c, node, operands.code(int(match[8])), factors, turned=turned_a)
    tile_b = _Tile(c, node, operands.code(int(match[9])), factors, turned=turned_b)
    check, check_fence = check_whole_warps(c, node.span, "wgmma.mma_async"), _fence_check(c, node.span)
    line = node.span.where

    def cause() -> str:
        return (
            f"wgmma in {line} may not have stored its sum yet: commit it (wgmma.commit_group) and wait for it "
            "(wgmma.wait_group) before"
        )

    def run(group: Group, mask: Active) -> None:
        check(group, mask)
        warps, state = warps_of(c, group), _state(group, slot)
        lanes = _bits(state, mask)
        state.mark(pending=False)

        adding, _ = group.split(mask, scale(group, mask))
        zeros = [np.zeros(group.size, np.float32 if single else np.uint32)] * count
        before = zeros
        if adding is not EMPTY:
            before = total(group, adding)
            if adding is not mask and adding is not None:
                before = [np.where(adding.bits, word, word.dtype.type(0)) for word in before]
        same = not from_registers and adding is mask and _same(before, state.results)
        if not same:
            check_fence(group, mask, state)
        reads: list[PendingRead] = []
        thread = group.lanes % c.machine.launch.block.count % _GROUP
        if left is not None:
            rows = left_factor(factor_numbers(warps.registers(left(group, mask)), factors))
        else:
            assert tile_a is not None
            # The warp's 16 of 64 rows; each of its lanes reads one chunk.
            first = thread[warps.position.max(axis=1)] // 32 * 16
            rows = tile_a.load(group, mask, first, 16, thread % 32, reads)
        b = tile_b.load(group, mask, np.zeros(len(warps.position), np.intp), columns, thread, reads)
        onto = _sums_of(warps.registers(before), sums, columns)
        dtype = SUM_TYPES[sums]
        result = accumulate(rows * signs, b.swapaxes(1, 2), onto, factors, dtype, AT_ONCE[factors])
        parts = _registers_of(result.astype(dtype), columns)
        state.results = [parts[warps.warp, number, warps.lane] for number in range(count)]
        put(group, mask, state.results)
        own = [_Sums(memory, at) for memory, at in registers(group, mask)]
        state.running.append(_Running(lanes.copy(), state.committed, own, reads, cause))
        state.mark(pending=True)

    return run


def _same(one: list[Array], two: list[Array]) -> bool:
    """Return whether registers hold the sums of the last instruction: none was changed since."""
    return len(one) == len(two) and all(np.array_equal(a, b, equal_nan=True) for a, b in zip(one, two, strict=True))


def _immediates(
    c: Context, node: Assembly, text: str, factors: str, *, from_registers: bool
) -> tuple[float, bool, bool]:
    """Return the sign of the products, and whether a and b are transposed."""
    numbers = [int(word) for word in text.replace(" ", "").split(",") if word]
    turns = 0 if factors == "tf32" else 1 if from_registers else 2
    if len(numbers) != 2 + turns or any(abs(n) != 1 for n in numbers[:2]) or any(n not in (0, 1) for n in numbers[2:]):
        wanted = f"scale-d, the factors' signs (1 or -1){f' and {turns} transposition(s) (0 or 1)' * bool(turns)}"
        raise c.refuse(node.span, f"wgmma.mma_async takes at the end {wanted}, not '{text}'")
    turned = [bool(n) for n in numbers[2:]]
    return float(numbers[0] * numbers[1]), turns == 2 and turned[0], bool(turned) and turned[-1]


def _fence_check(c: Context, span: Span) -> Callable[[Group, Active, _State], None]:
    hazards = c.machine.hazards

    def check(group: Group, mask: Active, state: _State) -> None:
        bad = _bits(state, mask) & ~state.fenced
        if not bad.any():
            return
        lane = int(group.lanes[int(np.flatnonzero(bad)[0])])
        hazards.report(
            "async-race",
            Place(span),
            c.machine.recorder.current,
            int(bad.sum()),
            ((lane, span, "read"),),
            lambda: (
                f"{hazards.name(lane)} starts wgmma in {span.where} without wgmma.fence since it last used the "
                "registers of its sums or factors: execute wgmma.fence.sync.aligned before the first wgmma, and "
                "again after each wait"
            ),
        )

    return check


def _register_positions(c: Context, targets: list[Expr]) -> Callable[[Group, Active], list[tuple[Memory, Array]]]:
    """Compile the positions of registers that are elements of local arrays; those of variables are left out."""
    by_memory: dict[int, tuple[Memory, list[Run]]] = {}
    for target in targets:
        place = locate(c, target)
        if isinstance(place, Element) and place.memory is not None and place.memory.info.space == "local":
            by_memory.setdefault(place.memory.number, (place.memory, []))[1].append(place.offset.run)

    def positions(group: Group, mask: Active) -> list[tuple[Memory, Array]]:
        found = []
        for memory, runs in by_memory.values():
            base = group.bases[memory.number]
            at = np.zeros((len(runs), group.size), np.intp)
            for number, run in enumerate(runs):
                at[number] = run(group, mask)
            found.append((memory, at if base is None else at + base))
        return found

    return positions


# --- tiles in shared memory


class _Tile:
    """A factor in shared memory, by its descriptor."""

    def __init__(self, c: Context, node: Assembly, descriptor: Code, factors: str, *, turned: bool) -> None:
        self._c = c
        self._node = node
        self._factors = factors
        self._turned = turned
        self._descriptor = convert(c, descriptor, ULONG, node.span).run
        self._slot = slot = c.slot()
        address = Code(lambda group, mask: group.values[slot], ULONG, None, False)
        pointer = pointer_to_shared(c, address, node.span)
        element = Element(None, pointer, COPY_TYPES[CHUNK_BYTES], node.span, const=True)
        self._where, self._fetch, self._announce = pointer.run, loader(c, element), read_announcer(c, element)

    def load(
        self, group: Group, mask: Active, first: Array, count: int, lane: Array, reads: list[PendingRead]
    ) -> Array:
        """Return the numbers of `count` rows from `first` on, [warp, row, k]; add the reads of the lanes.

        `lane` numbers the lanes that share the chunks out.
        """
        c, warps = self._c, warps_of(self._c, group)
        word = np.broadcast_to(np.asarray(self._descriptor(group, mask), np.uint64), (group.size,))
        fields = Descriptors.unpack(word[warps.position.max(axis=1)])
        if fields.base_offset.any():
            raise c.unsupported(self._node.span, "matrix descriptor with a base offset; align the tile to 1,024 bytes")
        chunks, place = np.arange(2 * count), first[:, None]
        if self._turned:  # line k of the tile, and eight rows
            one, two = chunks % 16, chunks // 16
            at = fields.transposed_addresses(one, place // 8 + two)
        else:  # a core matrix is eight successive chunks
            one, two = chunks % 8 + chunks // 16 * 8, chunks // 8 % 2
            at = fields.addresses(place + one, two)
        team = int(lane.max()) + 1 if count == 16 else _GROUP
        for start in range(0, 2 * count, team):
            mine = start + lane
            narrow = group.narrow(mask, mine < 2 * count)
            if narrow is EMPTY:
                continue
            group.values[self._slot] = at[warps.warp, np.minimum(mine, 2 * count - 1)].view(np.uint64)
            place_of = self._where(group, narrow)
            self._fetch(group, narrow, place_of)
            reads += self._announce(group, narrow, place_of)
        data = _peek(c, group, warps.position.max(axis=1), at)
        if self._turned:
            shape = (len(at), 16, count, 2)
            tile = np.empty((len(at), 16, count // 8, CHUNK_BYTES), np.uint8)
            tile[:, one, two] = data
            return self._numbers(tile.reshape(shape)).swapaxes(1, 2)
        tile = np.empty((len(at), count, 2, CHUNK_BYTES), np.uint8)
        tile[:, one, two] = data
        return self._numbers(tile.reshape(len(at), count, 2 * CHUNK_BYTES))

    def _numbers(self, tile: Array) -> Array:
        lines = tile.reshape(*tile.shape[:2], -1)
        return factor_numbers(np.ascontiguousarray(lines).view(np.uint32), self._factors)


def _peek(c: Context, group: Group, lane: Array, at: Array) -> Array:
    """Return 16 bytes of the blocks' shared memory at each address, [warp, chunk, byte]; zeros outside of arrays."""
    found = np.zeros((*at.shape, CHUNK_BYTES), np.uint8)
    for memory in c.machine.memories:
        if memory.info.space != "shared":
            continue
        size, base = memory.info.dtype.itemsize, group.bases[memory.number]
        offset = at - memory.info.address
        inside = (offset >= 0) & (offset <= memory.size * size - CHUNK_BYTES)
        if inside.any():
            begin = np.zeros(len(at), np.intp) if base is None else base[lane] * size
            where = (begin[:, None] + offset)[inside]
            raw = memory.data.view(np.uint8)
            found[inside] = raw.take(where[:, None] + np.arange(CHUNK_BYTES), mode="clip")
    return found


# --- sums in registers


def _sums_of(words: Array, sums: str, columns: int) -> Array:
    """Return the sums, [warp, 16, columns], from registers: pairs of neighbours of a row, then of the row 8 below."""
    count = len(words)
    if sums == "f16":
        pairs = np.ascontiguousarray(words).view(np.float16).reshape(count, columns // 8, 2, 8, 4, 2)
    else:
        pairs = words.reshape(count, columns // 8, 2, 2, 8, 4).transpose(0, 1, 2, 4, 5, 3)
    return pairs.transpose(0, 2, 3, 1, 4, 5).reshape(count, 16, columns).astype(np.float64)


def _registers_of(tile: Array, columns: int) -> Array:
    """Return the registers that hold sums: the inverse of `_sums_of`."""
    count = len(tile)
    pairs = tile.reshape(count, 2, 8, columns // 8, 4, 2).transpose(0, 3, 1, 2, 4, 5)
    if tile.dtype == np.float16:
        return np.ascontiguousarray(pairs).reshape(count, columns // 4, 64).view(np.uint32)
    return np.ascontiguousarray(pairs.transpose(0, 1, 2, 5, 3, 4)).reshape(count, columns // 2, 32)
