"""PTX's warp instructions, lowered to CUDA C's functions: shuffles, votes, matches, reductions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.frontend.parser.ptx import Several
from kernels.frontend.types import BOOL, INT, UINT
from kernels.simt.libraries.inline_ptx.special_registers import SPECIAL

if TYPE_CHECKING:
    from kernels.frontend.parser.ptx import Instruction
    from kernels.simt.compiler.compiled_values import Code
    from kernels.simt.libraries.inline_ptx.registers import Registers
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.steps import Run

_SHUFFLES: Final = {"up": "_up", "down": "_down", "bfly": "_xor", "idx": ""}
_REACHES: Final = {
    "up": "(int)(l & {width} - 1) >= (int)(b & 31)",
    "down": "(l & {width} - 1) + (b & 31) < {width}",
    "bfly": "(l ^ b & 31) <= (l | {width} - 1)",
    "idx": "true",
}
"""The condition that the lane that is read is in the reading lane's part of the warp, for lane `l`."""

_VOTES: Final = {"all": BOOL, "any": BOOL, "ballot": UINT}
_REDUCED: Final = {
    **{(op, word): kind for op in ("add", "min", "max") for word, kind in (("u32", UINT), ("s32", INT))},
    **{(op, "b32"): UINT for op in ("and", "or", "xor")},
}


def warp_instruction(registers: Registers, instruction: Instruction) -> Run | None:
    """Compile `shfl`, `vote`, `match`, `redux`, `activemask`, `elect`; None for any other instruction."""
    words = tuple(word for word in instruction.words if word != "sync")
    masked = "sync" in instruction.words
    if words[0] == "shfl" and words[2:] == ("b32",) and words[1] in _SHUFFLES:
        return _shuffle(registers, instruction, words[1], masked)
    if words[0] == "vote" and len(words) == 3 and words[1] in _VOTES:
        return _vote(registers, instruction, words[1], masked)
    if instruction.name == "activemask.b32":
        (target,) = registers.count(instruction, 1)
        return registers.put(target, registers.snippet("__activemask()"))
    if instruction.name == "match.any.sync.b32":
        target, value, mask = registers.count(instruction, 3)
        given = {n: registers.value(registers.single(o), UINT) for n, o in (("a", value), ("m", mask))}
        return registers.put(target, registers.snippet("__match_any_sync(m, a)", **given))
    if words[0] == "redux" and masked and words[1:] in _REDUCED:
        target, value, mask = registers.count(instruction, 3)
        kind = _REDUCED[words[1], words[2]]
        codes = {
            "a": registers.value(registers.single(value), kind),
            "m": registers.value(registers.single(mask), UINT),
        }
        return registers.put(target, registers.snippet(f"__reduce_{words[1]}_sync(m, a)", **codes))
    if instruction.name == "elect.sync":
        return _elect(registers, instruction)
    return None


def _shuffle(registers: Registers, instruction: Instruction, way: str, masked: bool) -> Run:
    target, *given = registers.count(instruction, 5 if masked else 4)
    codes = dict(zip("abcm", (registers.value(registers.single(o), UINT) for o in given), strict=False))
    width = _width(registers, codes.pop("c"), way)
    function = f"__shfl{_SHUFFLES[way]}{'_sync' if masked else ''}"
    result = registers.snippet(f"{function}({'m, ' if masked else ''}a, b, {width})", **codes)
    if not isinstance(target, Several):
        return registers.put(target, result)
    value, predicate = target.parts
    lane = registers.snippet(SPECIAL["%laneid"])
    reaches = registers.snippet(_REACHES[way].format(width=width), b=codes["b"], l=lane)
    # The predicate comes first: the result may take the place of what it is found by.
    return _both(registers.put(predicate, reaches), registers.put(value, result))


def _both(first: Run, second: Run) -> Run:
    def run(group: Group, mask: Active) -> Value:
        first(group, mask)
        return second(group, mask)

    return run


def _width(registers: Registers, clamp: Code, way: str) -> int:
    """Return the width that a shuffle's last operand encodes (PTX ISA, "shfl.sync")."""
    if clamp.constant is None:
        raise registers.refused("the last but one operand of shfl must be known when it is compiled")
    bits = int(clamp.constant)
    width = 32 - (bits >> 8 & 31)
    if bits & 31 != (0 if way == "up" else 31) or width & (width - 1):
        raise registers.refused(
            f"shfl.{way} with {bits:#x}; give (32 - width) << 8 with {0 if way == 'up' else 31} in its lower bits"
        )
    return width


def _vote(registers: Registers, instruction: Instruction, way: str, masked: bool) -> Run:
    target, *given = registers.count(instruction, 3 if masked else 2)
    codes = {"a": registers.value(registers.single(given[0]), BOOL)}
    if masked:
        codes["m"] = registers.value(registers.single(given[1]), UINT)
    function = f"__{way}_sync(m, a)" if masked else f"__{way}(a)"
    text = function if way == "ballot" else f"{function} != 0"
    return registers.put(target, registers.snippet(text, **codes))


def _elect(registers: Registers, instruction: Instruction) -> Run:
    """Compile `elect.sync`: PTX leaves open which lane of the mask it is; here it is the lowest."""
    target, mask = registers.count(instruction, 2)
    if not isinstance(target, Several):
        raise registers.refused("elect.sync gives a lane and a predicate: d|p")
    given = registers.value(registers.single(mask), UINT)
    lane = registers.snippet(SPECIAL["%laneid"])
    leader, elected = target.parts
    number = registers.put(leader, registers.snippet("(unsigned)(__ffs(m) - 1)", m=given))
    return _both(registers.put(elected, registers.snippet("l == __ffs(m) - 1", m=given, l=lane)), number)
