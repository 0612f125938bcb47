"""Compiles `ldmatrix`, `stmatrix` and `mma.sync` (PTX ISA, "Warp-level matrix instructions")."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend import ast
from kernels.frontend.types import FLOAT, UINT, Scalar
from kernels.simt.compiler.compiled_values import Code, Element
from kernels.simt.compiler.expressions.load_store import choose, loader, saver
from kernels.simt.compiler.expressions.lvalues import locate
from kernels.simt.compiler.expressions.operators import convert, map_unary
from kernels.simt.intrinsics.async_copies import COPY_TYPES, pointer_to_shared
from kernels.simt.intrinsics.conversions import bits_as
from kernels.simt.intrinsics.load_store import assignment
from kernels.simt.intrinsics.warp import check_whole_warps, warps_of
from kernels.simt.libraries.tensor_cores.accumulation import accumulate
from kernels.simt.machine.fragments import left_factor, moved_slots, packed_numbers, right_factor, sum_slots, sums
from kernels.simt.machine.lanes import EMPTY

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from kernels.frontend.ast import Assembly, Expr
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.steps import Run

    Array = NDArray[Any]

_REGISTERS: Final = r"\{([^}]*)\}\s*"
_MULTIPLY: Final = re.compile(
    r"mma\.sync\.aligned\.m16n8k(\d+)\.row\.col\.(f16|f32|s32)\.(f16|bf16|tf32|s8)\.(f16|bf16|tf32|s8)\.(f16|f32|s32)\s*"
    + r",\s*".join([_REGISTERS] * 4)
    + r";?"
)
_MOVE: Final = re.compile(r"(ldmatrix|stmatrix)\.sync\.aligned\.([\w.]+?)(?:\.shared(?:::cta)?)?\.b16\s*(.*?)\s*;?")
_OPERAND: Final = re.compile(r"%(\d+)")

INSTRUCTIONS: Final = ("mma", "ldmatrix", "stmatrix")
"""First parts of the instructions' names."""


def instruction(c: Context, node: Assembly, text: str) -> Run | None:
    """Compile one of these instructions; None for any other."""
    multiply, move = _MULTIPLY.fullmatch(text), _MOVE.fullmatch(text)
    if multiply:
        return _multiply(c, node, multiply)
    if move:
        return _move(c, node, move)
    return None


class Operands:
    """The operands of an asm, which the text of an instruction names by number."""

    def __init__(self, c: Context, node: Assembly) -> None:
        self._c = c
        self._node = node
        self._expressions = [expression for _, expression in (*node.outputs, *node.inputs)]

    def numbers(self, text: str, count: int) -> list[int]:
        """Return the numbers in a list of registers."""
        numbers = [int(number) for number in _OPERAND.findall(text)]
        if len(numbers) != count or any(number >= len(self._expressions) for number in numbers):
            raise self._c.refuse(self._node.span, f"{{{text.strip()}}} must name {count} of the asm's operands")
        return numbers

    def code(self, number: int) -> Code:
        """Compile the value of an operand."""
        return self._c.compile(self._expressions[number])

    def expression(self, number: int) -> Expr:
        """Return an operand that is assigned."""
        return self._expressions[number]

    def words(self, text: str, count: int, *, single: bool = False) -> Callable[[Group, Active], list[Array]]:
        """Compile the values of registers: 32 bits each, or with `single` floats."""
        kind = FLOAT if single else UINT
        codes = [self.code(number) for number in self.numbers(text, count)]
        runs = [self._reinterpret(code, kind).run for code in codes]

        def values(group: Group, mask: Active) -> list[Array]:
            return [np.broadcast_to(np.asarray(run(group, mask), kind.dtype), (group.size,)) for run in runs]

        return values

    def _reinterpret(self, code: Code, kind: Scalar) -> Code:
        """Compile a register as a type: of a float in an integer register (`"r"`) its bits, and vice versa."""
        source = code.type
        if not isinstance(source, Scalar) or source.size_bytes != 4 or source.dtype.kind == kind.dtype.kind:
            return convert(self._c, code, kind, self._node.span)
        return map_unary(code, lambda value: bits_as(value, source, kind), kind)

    def put(self, text: str, count: int, *, single: bool = False) -> Callable[[Group, Active, list[Array]], None]:
        """Compile the assignment of registers."""
        kind = FLOAT if single else UINT
        slots, puts = [], []
        for number in self.numbers(text, count):
            target, slot = self.expression(number), self._c.slot()
            code = Code(lambda group, mask, slot=slot: group.values[slot], kind, None, False)  # type: ignore[misc]
            place = locate(self._c, target)
            own = place.kind if isinstance(place, Element) else place.type
            if isinstance(own, Scalar):
                code = self._reinterpret(code, FLOAT if own is FLOAT else UINT)
            slots.append(slot)
            puts.append(assignment(self._c, target, code, target.span).run)

        def store(group: Group, mask: Active, values: list[Array]) -> None:
            for slot, put, value in zip(slots, puts, values, strict=True):
                group.values[slot] = value
                put(group, mask)

        return store


# --- mma.sync


_FORMS: Final = {
    ("f16", "f16"): (8, 16),
    ("f16", "f32"): (8, 16),
    ("bf16", "f32"): (16,),
    ("tf32", "f32"): (8,),
    ("s8", "s32"): (32,),
}
"""By the types of the factors and of the sums: depths."""

_IN_16_BYTES: Final = {"f16": 8, "bf16": 8, "tf32": 4, "s8": 16}
"""Factors in the register of four lanes."""

SUM_TYPES: Final = {"f16": np.float16, "f32": np.float32, "s32": np.int32}


def _multiply(c: Context, node: Assembly, match: re.Match[str]) -> Run:
    depth, kind, factors = int(match[1]), match[2], match[3]
    if match[4] != factors or match[5] != kind or depth not in _FORMS.get((factors, kind), ()):
        advice = "use factors f16 (k8, k16), bf16 (k16), tf32 (k8) or s8 (k32), both alike, and sums f16, f32 or s32"
        raise c.unsupported(node.span, f"{match[0].split()[0]}; {advice}")
    across = depth // _IN_16_BYTES[factors]  # registers of a lane for 8 rows of a factor
    at_once = 4 if factors == "tf32" else depth  # products that the hardware adds at once
    operands = Operands(c, node)
    single = kind == "f32"
    count = 2 if kind == "f16" else 4
    left, right = operands.words(match[7], 2 * across), operands.words(match[8], across)
    total, put = operands.words(match[9], count, single=single), operands.put(match[6], count, single=single)
    check = check_whole_warps(c, node.span, "mma.sync")

    def run(group: Group, mask: Active) -> None:
        check(group, mask)
        warps = warps_of(c, group)
        a, b = warps.registers(left(group, mask)), warps.registers(right(group, mask))
        rows, columns = left_factor(factor_numbers(a, factors)), right_factor(factor_numbers(b, factors))
        onto = _sums(warps.registers(total(group, mask)), kind)
        if kind == "s32":
            result = np.matmul(rows, columns) + onto
        else:
            result = accumulate(rows, columns, onto, factors, SUM_TYPES[kind], at_once)
        parts = _sum_registers(result.astype(SUM_TYPES[kind]))
        put(group, mask, [parts[warps.warp, number, warps.lane] for number in range(count)])

    return run


def factor_numbers(words: Array, factors: str) -> Array:
    """Return the factors in 32-bit words, those of a word side by side, as doubles or whole numbers."""
    return packed_numbers(words, factors).astype(np.int64 if factors == "s8" else np.float64)


def _sums(words: Array, kind: str) -> Array:
    """Return the sums, [warp, 16, 8], from registers."""
    return sums(words.view(SUM_TYPES[kind])).astype(np.int64 if kind == "s32" else np.float64)


def _sum_registers(tile: Array) -> Array:
    """Return the registers that hold sums: the inverse of `_sums`."""
    slots = np.ascontiguousarray(sum_slots(tile, 2 if tile.dtype == np.float16 else 4))
    return slots if tile.dtype == np.float32 else slots.view(np.uint32)


# --- ldmatrix, stmatrix


def _move(c: Context, node: Assembly, match: re.Match[str]) -> Run:
    name, modifiers = match[1], set(match[2].split("."))
    count = next((int(word[1]) for word in modifiers if word in ("x1", "x2", "x4")), 0)
    if not count or modifiers - {"m8n8", "trans", f"x{count}"} or "m8n8" not in modifiers:
        raise c.unsupported(node.span, f"{name}.sync.aligned.{match[2]}; use m8n8 with x1, x2 or x4")
    loads = name == "ldmatrix"
    pattern = rf"{_REGISTERS},\s*\[\s*%(\d+)\s*\]" if loads else rf"\[\s*%(\d+)\s*\]\s*,\s*{_REGISTERS}"
    parts = re.fullmatch(pattern, match[3])
    if parts is None:
        raise c.refuse(node.span, f"{name} takes registers in braces and an address in brackets")
    registers, address = (parts[1], parts[2]) if loads else (parts[2], parts[1])
    operands, kind = Operands(c, node), COPY_TYPES[16]
    (at,) = operands.numbers(f"%{address}", 1)
    place = operands.expression(at)
    if ".shared" not in match[0]:  # a generic address
        place = ast.Call(node.span, "__cvta_generic_to_shared", (place,))
    pointer = pointer_to_shared(c, c.compile(place), node.span)
    element = Element(pointer.memory, pointer, kind, node.span, const=False)
    where, check = pointer.run, check_whole_warps(c, node.span, name)
    transposed = "trans" in modifiers

    def addressing(group: Group, mask: Active) -> Active:
        """Return the lanes whose addresses are used: eight for each matrix."""
        return group.narrow(mask, warps_of(c, group).lane < 8 * count)

    if loads:
        fetch, put = loader(c, element), operands.put(registers, count)

        def load(group: Group, mask: Active) -> None:
            check(group, mask)
            lanes, warps = addressing(group, mask), warps_of(c, group)
            rows = np.zeros((len(warps.position), 32, 4), np.uint32)
            if lanes is not EMPTY:
                words = fetch(group, lanes, where(group, lanes))
                if lanes is not None:
                    words = choose(kind, lanes.bits, words, tuple([np.uint32(0)] * 4))
                columns = [np.broadcast_to(np.asarray(word, np.uint32), (group.size,)) for word in words]
                rows[warps.warp, warps.lane] = np.stack(columns, axis=1)
            tiles = rows.view(np.uint16).reshape(-1, 4, 8, 8)[:, :count]
            values = np.ascontiguousarray(moved_slots(tiles, transposed=transposed)).view(np.uint32)
            put(group, mask, [values[warps.warp, number, warps.lane] for number in range(count)])

        return load
    values, save = operands.words(registers, count), saver(c, element)

    def store(group: Group, mask: Active) -> None:
        check(group, mask)
        lanes, warps = addressing(group, mask), warps_of(c, group)
        words = np.zeros((len(warps.position), 4, 32), np.uint32)
        for number, word in enumerate(values(group, mask)):
            words[warps.warp, number, warps.lane] = word
        tiles = words.view(np.uint16).reshape(-1, 4, 8, 8)
        if transposed:
            tiles = tiles.swapaxes(2, 3)
        rows = np.ascontiguousarray(tiles).reshape(len(words), 32, 8).view(np.uint32)[warps.warp, warps.lane]
        if lanes is not EMPTY:
            save(group, lanes, where(group, lanes), tuple(np.ascontiguousarray(rows.T)))

    return store
