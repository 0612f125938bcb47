"""Compiles `asm` statements: lowers each instruction to operations of CUDA C.

One asm is one step; barriers in it are separate steps, as in CUDA C.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kernels.frontend import ast
from kernels.frontend.types import BOOL, INT, LONG, ULONG, VOID, Pointer
from kernels.simt.compiler.compiled_values import Code, constant
from kernels.simt.compiler.expressions.operators import convert
from kernels.simt.compiler.registry import not_installed
from kernels.simt.intrinsics.async_copies import COPY, commit, issue, pointer_to_shared, wait
from kernels.simt.libraries.inline_ptx.barriers import bar, mbarrier, mbarrier_wait, without_spin
from kernels.simt.libraries.inline_ptx.memory_instructions import memory_access, shared_address
from kernels.simt.libraries.inline_ptx.parser import PtxError, parse_ptx
from kernels.simt.libraries.inline_ptx.register_instructions import register_instruction
from kernels.simt.libraries.inline_ptx.registers import Registers
from kernels.simt.machine.lanes import EMPTY
from kernels.simt.machine.steps import Step, after, sequence

if TYPE_CHECKING:
    from kernels.frontend.ast import Assembly
    from kernels.simt.compiler.context import Context
    from kernels.simt.libraries.inline_ptx.parser import Instruction
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.steps import Run

_WAIT: Final = re.compile(r"cp\.async\.wait_group\s+(%?\d+)\s*;?")
_TILE: Final = re.compile(
    r"cp\.async\.bulk\.tensor\.2d\.shared::(?:cluster|cta)\.global(?:\.tile)?\.mbarrier::complete_tx::bytes\s*"
    r"\[\s*%(\d+)\s*\]\s*,\s*\[\s*%(\d+)\s*,\s*\{\s*%(\d+)\s*,\s*%(\d+)\s*\}\s*\]\s*,\s*\[\s*%(\d+)\s*\]\s*;?"
)
_WHOLE: Final = ("cp", "mma", "ldmatrix", "stmatrix", "wgmma")
"""Instructions that are compiled from their text."""

_REGISTERS: Final = re.compile(r"setmaxnreg\.(inc|dec)\.sync\.aligned\.u32")
"""Changes the number of a thread's registers, of which the simulated machine has any number."""

_PROXY_FENCE: Final = re.compile(r"fence\.proxy\.async(\.(shared::(cta|cluster)|global))?")

SUPPORTED: Final = (
    "supported are arithmetic of integers, mov, cvt, setp, selp, ld, st, atom, cvta, elect, redux, bar.sync, cp.async, "
    "mbarrier, ldmatrix, stmatrix, mma.sync, wgmma and fence.proxy.async (docs/language/ptx.md lists them)"
)


def assembly(c: Context, node: Assembly) -> Step:
    """Compile an asm statement.

    Raises
    ------
    SourceError
        For text that is no PTX, for operands of wrong types, and for instructions that are not supported.
    """
    try:
        listing = parse_ptx(without_spin(node.template))
    except PtxError as error:
        raise c.unsupported(
            node.span, f'asm("{" ".join(node.template.split())}"): {error}; write it in CUDA C'
        ) from error
    instructions = listing.instructions
    if len(instructions) == 1 and _is_compiled_from_text(instructions[0]):
        c.new_statement(node.span, "do")
        return _step(c, node, [_from_text(c, node)])
    with c.hoisting() as before:
        with c.scope():
            registers = Registers(c, node, listing)
            steps: list[Step] = []
            runs = registers.begins
            for instruction in instructions:
                alone = bar(c, registers, instruction) or mbarrier_wait(c, registers, instruction)
                if alone is None:
                    c.new_statement(node.span, "do")
                    runs.append(_guarded(c, registers, instruction))
                    continue
                if runs:
                    steps.append(_step(c, node, runs))
                steps.append(alone)
                runs = []
        runs += registers.finish()  # outside of the scope: a register may have the name of a variable
    if runs or not steps:
        steps.append(_step(c, node, runs))
    return after(before, sequence(steps))


def _is_compiled_from_text(instruction: Instruction) -> bool:
    """Return whether an instruction is compiled from the text of the asm."""
    words = instruction.words
    return words[0] in _WHOLE and "mbarrier" not in words and instruction.guard is None


def _step(c: Context, node: Assembly, runs: list[Run]) -> Step:
    number, begin = c.new_statement(node.span, "do"), c.machine.recorder.step

    def step(group: Group, mask: Active) -> Active:
        begin(number, group, mask)
        for run in runs:
            run(group, mask)
        return mask

    return Step(step)


def _guarded(c: Context, registers: Registers, instruction: Instruction) -> Run:
    """Compile an instruction for the lanes in which its guard is true."""
    if instruction.guard is None:
        return _instruction(c, registers, instruction)
    test = registers.value(instruction.guard, BOOL).run
    with c.conditional():
        inner = _instruction(c, registers, instruction)

    def run(group: Group, mask: Active) -> Value:
        yes, _ = group.split(mask, test(group, mask))
        if yes is not EMPTY:
            inner(group, yes)

    return run


def _instruction(c: Context, registers: Registers, instruction: Instruction) -> Run:
    name = instruction.words[0]
    if "mbarrier" not in instruction.words and name in _WHOLE:
        return _from_text(c, registers.as_assembly(instruction))
    if _REGISTERS.fullmatch(instruction.name):
        return _set_registers(c, registers, instruction)
    if _PROXY_FENCE.fullmatch(instruction.name):
        return c.machine.recorder.proxy_fence
    run = (
        register_instruction(c, registers, instruction)
        or memory_access(c, registers, instruction)
        or shared_address(c, registers, instruction)
        or mbarrier(c, registers, instruction)
    )
    if run is None:
        raise c.unsupported(registers.span, f"ptx instruction '{instruction.name}'; {SUPPORTED}")
    return run


def _set_registers(c: Context, registers: Registers, instruction: Instruction) -> Run:
    """Check `setmaxnreg`, which takes a multiple of 8 from 24 to 256 (PTX ISA), and compile nothing."""
    (operand,) = registers.count(instruction, 1)
    count = registers.value(registers.single(operand), INT).constant
    if count is None or count % 8 or not 24 <= count <= 256:
        raise registers.refusal(f"setmaxnreg takes a multiple of 8 from 24 to 256, not {count}")
    return lambda group, mask: None


# --- instructions that are compiled from their text


def _from_text(c: Context, node: Assembly) -> Run:
    """Compile `cp.async`, `ldmatrix`, `stmatrix` and `mma.sync`, which are matched as text, by the asm's operands."""
    text = " ".join(node.template.split())
    operands = [expression for _, expression in (*node.outputs, *node.inputs)]

    def operand(word: str) -> Code:
        if not word.startswith("%"):
            return constant(int(word, 0), INT)
        if int(word[1:]) >= len(operands):
            raise c.refuse(node.span, f'asm("{text}") has no operand {word}')
        return c.compile(operands[int(word[1:])])

    if re.fullmatch(r"cp\.async\.commit_group\s*;?", text):
        return commit(c)
    if re.fullmatch(r"cp\.async\.wait_all\s*;?", text):
        return wait(c, constant(-1, INT))
    waits, copy = _WAIT.fullmatch(text), COPY.fullmatch(text)
    if waits:
        return wait(c, convert(c, operand(waits[1]), INT, node.span))
    name = text.partition(".")[0]
    library = c.registry.library_of(name)
    if library:
        raise not_installed(c, node.span, f"ptx instruction '{name}'", library)
    if name in c.registry.instructions:
        run = c.registry.instructions[name](c, node, text)
        if run is not None:
            return run
    if copy:
        size = operand(copy[3]).constant
        source = operand(f"%{copy[2]}")
        if source.type in (LONG, ULONG):  # an address as a number
            source = convert(c, source, Pointer(VOID), node.span, explicit=True)
        source_size = convert(c, operand(copy[4]), INT, node.span) if copy[4] else None
        return issue(c, pointer_to_shared(c, operand(f"%{copy[1]}"), node.span), source, size, source_size, node.span)
    tile = _TILE.fullmatch(text)
    if tile:
        return _copy_tile(c, node, [operand(f"%{number}") for number in tile.groups()])
    raise c.unsupported(node.span, f"ptx instruction '{text.rstrip(' ;')}'; {SUPPORTED}")


def _copy_tile(c: Context, node: Assembly, codes: list[Code]) -> Run:
    """Compile `cp.async.bulk.tensor.2d`, which libcu++'s barriers execute."""
    if c.registry.library_of("__phase_copy_tile"):
        raise not_installed(c, node.span, "ptx instruction 'cp.async.bulk.tensor'", "libcudacxx")
    to, source, x, y, barrier = codes
    word = convert(c, pointer_to_shared(c, barrier, node.span), Pointer(ULONG), node.span, explicit=True)
    parts = {
        "(to)": pointer_to_shared(c, to, node.span),
        "(map)": convert(c, source, Pointer(VOID), node.span, explicit=True),
        "(x)": x,
        "(y)": y,
        "(word)": word,
    }
    with c.scope():
        for name, code in parts.items():
            c.declare(name, code)
        return c.compile(ast.Call(node.span, "__phase_copy_tile", tuple(ast.Name(node.span, n) for n in parts))).run
