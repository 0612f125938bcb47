"""Compiles PTX's instructions from registers to registers: arithmetic, comparisons, conversions, packing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend.parser.ptx import Several, Word
from kernels.frontend.types import BOOL, FLOAT, UINT, ULONG, USHORT
from kernels.simt.compiler.compiled_values import Code
from kernels.simt.compiler.operators import map_unary
from kernels.simt.libraries.inline_ptx.arithmetic import KINDS, Operation, operation
from kernels.simt.libraries.inline_ptx.conversions import comparison, conversion

if TYPE_CHECKING:
    from kernels.frontend.parser.ptx import Instruction
    from kernels.simt.compiler.context import Context
    from kernels.simt.libraries.inline_ptx.registers import Registers
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.steps import Run

_COMBINED: Final = {"and": "&&", "or": "||", "xor": "!="}
"""By modifier of `setp`: the operator that combines a comparison with a predicate."""


def computed(c: Context, registers: Registers, instruction: Instruction) -> Run | None:
    """Compile what computes registers from others; None for any other instruction."""
    name = instruction.words[0]
    if name in ("setp", "set"):
        return _compare(c, registers, instruction)
    if name == "lop3":
        return _table(registers, instruction)
    if name == "mov" and any(isinstance(operand, Several) for operand in instruction.operands):
        return _packed(c, registers, instruction)
    return _computed(registers, instruction)


def _computed(registers: Registers, instruction: Instruction) -> Run | None:
    """Compile what computes one register from others."""
    words = instruction.words
    known = conversion(words) if words[0] == "cvt" else operation(words)
    if known is None:
        return None
    target, *given = registers.count(instruction, 1 + len(known.operands))
    if words[0] == "mov" and isinstance(given[0], Word) and registers.holds_pointer(given[0]):
        return registers.put(target, registers.symbol(given[0]))
    codes = [
        registers.value(registers.single(operand), kind, cut=words[0] == "cvt")
        for operand, kind in zip(given, known.operands, strict=True)
    ]
    return registers.put(target, _result(registers, known, codes), extend=words[0] == "cvt")


def _result(registers: Registers, known: Operation, codes: list[Code]) -> Code:
    if known.flushes:
        codes = [_flushed(code) for code in codes]
    code = registers.snippet(known.text, **dict(zip("abcd", codes, strict=False)))
    if code.type is not known.result:
        code = registers.converted(code, known.result)
    return _flushed(code) if known.flushes else code


def _flushed(code: Code) -> Code:
    """Make subnormal floats zeros of their sign."""
    if code.type is not FLOAT:
        return code
    return map_unary(code, _without_subnormals, FLOAT)


def _without_subnormals(value: Any) -> Any:
    least = np.finfo(np.float32).tiny
    flushed: Any = np.where(np.abs(value) < least, np.copysign(np.float32(0), value), value)
    return flushed if flushed.ndim else flushed[()]


def _compare(c: Context, registers: Registers, instruction: Instruction) -> Run | None:
    """Compile `setp` and `set`: a comparison, which may be combined with a predicate."""
    name, *rest = [word for word in instruction.words if word != "ftz"]
    word = rest.pop(0) if rest else ""
    combined = rest.pop(0) if rest and rest[0] in _COMBINED else None
    text = comparison(word, rest[-1]) if rest else None
    if text is None or len(rest) != (1 if name == "setp" else 2) or ("ftz" in instruction.words and rest[-1] != "f32"):
        return None
    kind = KINDS[rest[-1]]
    target, *given = registers.count(instruction, 4 if combined else 3)
    codes = [registers.value(registers.single(operand), kind) for operand in given[:2]]
    if "ftz" in instruction.words:
        codes = [_flushed(code) for code in codes]
    more = {"p": registers.value(registers.single(given[2]), BOOL)} if combined else {}
    ending = f" {_COMBINED[combined]} p" if combined else ""

    def decided(text: str) -> Code:
        found = registers.snippet(f"({text}){ending}", a=codes[0], b=codes[1], **more)
        return registers.converted(found, BOOL)

    if name == "set":
        result = KINDS.get(rest[0])
        if result is None or rest[0] not in ("u32", "s32", "f32"):
            return None
        yes = "1.0f" if result is FLOAT else "-1"
        found = registers.snippet(f"a ? {yes} : 0", a=decided(text))
        return registers.put(target, registers.converted(found, result))
    if not isinstance(target, Several):
        return registers.put(target, decided(text))
    slot, run = c.slot(), decided(text).run
    first = registers.put(target.parts[0], Code(lambda group, mask: group.values[slot], BOOL, None, True))
    second = registers.put(target.parts[1], decided(f"!({text})"))

    def both(group: Group, mask: Active) -> Value:
        group.values[slot] = run(group, mask)  # what is compared may be what is written
        second(group, mask)
        first(group, mask)

    return both


def _table(registers: Registers, instruction: Instruction) -> Run | None:
    """Compile `lop3`: for each bit, the table's entry that the three operands' bits choose."""
    if instruction.name != "lop3.b32":
        return None
    target, *given, entries = registers.count(instruction, 5)
    chosen = registers.value(registers.single(entries), UINT).constant
    if chosen is None:
        raise registers.refused("the table of lop3 must be known when it is compiled")
    terms = [
        " & ".join(f"{'' if row >> place & 1 else '~'}{name}" for place, name in ((2, "a"), (1, "b"), (0, "c")))
        for row in range(8)
        if chosen >> row & 1
    ]
    codes = [registers.value(registers.single(operand), UINT) for operand in given]
    code = registers.snippet(" | ".join(terms) or "0u", **dict(zip("abc", codes, strict=True)))
    return registers.put(target, code)


def _packed(c: Context, registers: Registers, instruction: Instruction) -> Run | None:
    """Compile `mov` between a register and the parts that it consists of, the lowest first."""
    target, source = registers.count(instruction, 2)
    kind = {"b32": UINT, "b64": ULONG}.get(instruction.words[-1])
    several = source if isinstance(source, Several) else target
    other = target if several is source else source
    if kind is None or len(instruction.words) != 2 or not isinstance(several, Several) or several.pair:
        return None
    size = kind.size_bytes // len(several.parts)
    part = {2: USHORT, 4: UINT}.get(size)
    if part is None or isinstance(other, Several):
        return None
    places = [8 * size * number for number in range(len(several.parts))]
    if several is source:
        codes = [registers.value(operand, part) for operand in several.parts]
        text = " | ".join(f"({kind}){name} << {place}" for name, place in zip("abcd", places, strict=False))
        code = registers.snippet(text, **dict(zip("abcd", codes, strict=False)))
        return registers.put(target, registers.converted(code, kind))
    slot, whole = c.slot(), registers.value(registers.single(source), kind)
    held, run = Code(lambda group, mask: group.values[slot], kind, None, True), whole.run
    puts = [
        registers.put(operand, registers.converted(registers.snippet(f"a >> {place}", a=held), part))
        for operand, place in zip(several.parts, places, strict=True)
    ]

    def split(group: Group, mask: Active) -> Value:
        group.values[slot] = run(group, mask)
        for put in puts:
            put(group, mask)

    return split
