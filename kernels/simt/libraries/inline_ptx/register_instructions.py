"""PTX instructions from registers to registers: arithmetic, packing, and reductions and elections of a warp."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.frontend.types import INT, UINT, ULONG, USHORT
from kernels.simt.compiler.compiled_values import Code
from kernels.simt.libraries.inline_ptx.arithmetic import operation
from kernels.simt.libraries.inline_ptx.parser import Several, Word
from kernels.simt.libraries.inline_ptx.registers import SPECIAL

if TYPE_CHECKING:
    from kernels.simt.compiler.context import Context
    from kernels.simt.libraries.inline_ptx.parser import Instruction
    from kernels.simt.libraries.inline_ptx.registers import Registers
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.steps import Run


def register_instruction(c: Context, registers: Registers, instruction: Instruction) -> Run | None:
    """Compile an instruction that computes registers from registers; None for any other."""
    if instruction.name == "elect.sync":
        return _elect(registers, instruction)
    if instruction.name in ("redux.sync.add.u32", "redux.sync.add.s32"):
        return _sum(registers, instruction)
    if instruction.words[0] == "mov" and any(isinstance(operand, Several) for operand in instruction.operands):
        return _pack_or_unpack(c, registers, instruction)
    return _arithmetic(registers, instruction)


def _arithmetic(registers: Registers, instruction: Instruction) -> Run | None:
    """Compile an instruction that computes one register from others."""
    words = instruction.words
    computation = operation(words)
    if computation is None:
        return None
    target, *sources = registers.count(instruction, 1 + len(computation.operands))
    if words[0] == "mov" and isinstance(sources[0], Word) and registers.is_pointer(sources[0]):
        return registers.put(target, registers.symbol(sources[0]))
    codes = [
        registers.value(registers.single(operand), kind, narrow=words[0] == "cvt")
        for operand, kind in zip(sources, computation.operands, strict=True)
    ]
    code = registers.snippet(computation.text, **dict(zip("abc", codes, strict=False)))
    if code.type is not computation.result:
        code = registers.cast(code, computation.result)
    return registers.put(target, code, extend=words[0] == "cvt")


def _pack_or_unpack(c: Context, registers: Registers, instruction: Instruction) -> Run | None:
    """Compile `mov` between a register and its parts, the lowest first."""
    target, source = registers.count(instruction, 2)
    kind = {"b32": UINT, "b64": ULONG}.get(instruction.words[-1])
    vector = source if isinstance(source, Several) else target
    other = target if vector is source else source
    if kind is None or len(instruction.words) != 2 or not isinstance(vector, Several) or vector.pair:
        return None
    size = kind.size_bytes // len(vector.parts)
    part = {2: USHORT, 4: UINT}.get(size)
    if part is None or isinstance(other, Several):
        return None
    places = [8 * size * number for number in range(len(vector.parts))]
    if vector is source:
        codes = [registers.value(operand, part) for operand in vector.parts]
        text = " | ".join(f"({kind}){name} << {place}" for name, place in zip("abcd", places, strict=False))
        code = registers.snippet(text, **dict(zip("abcd", codes, strict=False)))
        return registers.put(target, registers.cast(code, kind))
    slot, run = c.slot(), registers.value(registers.single(source), kind).run
    register_value = Code(lambda group, mask: group.values[slot], kind, None, True)
    puts = [
        registers.put(operand, registers.cast(registers.snippet(f"a >> {place}", a=register_value), part))
        for operand, place in zip(vector.parts, places, strict=True)
    ]

    def split(group: Group, mask: Active) -> Value:
        group.values[slot] = run(group, mask)
        for put in puts:
            put(group, mask)

    return split


def _sum(registers: Registers, instruction: Instruction) -> Run:
    target, value, mask = registers.count(instruction, 3)
    kind = INT if instruction.words[-1] == "s32" else UINT
    codes = {"a": registers.value(registers.single(value), kind), "m": registers.value(registers.single(mask), UINT)}
    return registers.put(target, registers.snippet("__reduce_add_sync(m, a)", **codes))


def _elect(registers: Registers, instruction: Instruction) -> Run:
    """Compile `elect.sync`: the lowest lane of the mask is elected; PTX does not specify the lane."""
    target, mask = registers.count(instruction, 2)
    if not isinstance(target, Several):
        raise registers.refusal("elect.sync gives a lane and a predicate: d|p")
    lanes = registers.value(registers.single(mask), UINT)
    lane = registers.snippet(SPECIAL["%laneid"])
    leader, predicate = target.parts
    number = registers.put(leader, registers.snippet("(unsigned)(__ffs(m) - 1)", m=lanes))
    first = registers.put(predicate, registers.snippet("l == __ffs(m) - 1", m=lanes, l=lane))

    def run(group: Group, mask: Active) -> Value:
        first(group, mask)
        return number(group, mask)

    return run
