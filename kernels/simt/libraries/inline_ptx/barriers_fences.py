"""PTX's barriers, fences and `exit`; each is a separate statement of the trace, as `__syncthreads()` is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.frontend import ast
from kernels.frontend.types import BOOL, INT, UINT
from kernels.launch import WARP_SIZE
from kernels.simt.compiler.barriers import BARRIER
from kernels.simt.compiler.partial_barriers import ARRIVE
from kernels.simt.machine.lanes import EMPTY
from kernels.simt.machine.steps import Step, after

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.frontend.parser.ptx import Instruction, Operand
    from kernels.simt.compiler.compiled_values import Code
    from kernels.simt.compiler.context import Context
    from kernels.simt.libraries.inline_ptx.registers import Registers
    from kernels.simt.machine.lanes import Active, Group

_FENCES: Final = {
    **{f"membar.{scope}": scope == "cta" for scope in ("cta", "gl", "sys")},
    **{f"fence.{order}{scope}": scope == "cta" for order in ("", "sc.", "acq_rel.") for scope in ("cta", "gpu", "sys")},
}
"""By name: whether it reaches no further than the block."""

_VOTES: Final = {"popc.u32": "count", "and.pred": "and", "or.pred": "or"}
_ENDINGS: Final = {"trap": "__trap", "brkpt": "__brkpt"}


def ordering(c: Context, registers: Registers, instruction: Instruction) -> Step | None:
    """Compile a barrier, a fence or an `exit`; None for any other instruction."""
    name = instruction.name.replace(".cta.sync", ".sync").replace(".cta.red", ".red").removesuffix(".aligned")
    span = registers.span
    if name in _ENDINGS:
        c.compile(ast.Call(span, _ENDINGS[name], ()))
    if name == "exit":
        return _exit(c, registers, instruction)
    whole, arrives = name in ("bar.sync", "barrier.sync"), name in ("bar.arrive", "barrier.arrive")
    counted = next((word for word in _VOTES if name in (f"bar.red.{word}", f"barrier.red.{word}")), None)
    if not (whole or arrives or counted or name in _FENCES or name == "bar.warp.sync"):
        return None
    if instruction.guard is not None:
        raise c.unsupported(span, f"ptx instruction '{instruction.text}'; write {name} without a guard")
    if whole or arrives:
        operands = registers.count(instruction, 1, 2) if whole else registers.count(instruction, 2)
        return _barrier(c, registers, operands, arrives=arrives)
    if counted:
        return _vote(c, registers, registers.count(instruction, 3, 4), _VOTES[counted])
    if name == "bar.warp.sync":
        number, begin = c.new_statement(span, "warp-barrier"), c.machine.recorder.step
        (mask,) = registers.count(instruction, 1)
        run = registers.snippet("__syncwarp(m)", m=registers.value(registers.single(mask), UINT)).run

        def sync(group: Group, mask: Active) -> Active:
            begin(number, group, mask)
            run(group, mask)
            return mask

        return Step(sync)
    registers.count(instruction, 0)
    number, begin = c.new_statement(span, "fence"), c.machine.recorder.step
    if _FENCES[name]:
        c.racecheck.block_fences.add(number)

    def fence(group: Group, mask: Active) -> Active:
        begin(number, group, mask)
        return mask

    return Step(fence)


def _is_whole(c: Context, numbers: Sequence[Code]) -> bool:
    """Return whether a barrier, of any number, is one of the whole block."""
    barrier_number, *threads = (code.constant for code in numbers)
    return barrier_number is not None and (not threads or threads[0] == c.machine.launch.block.count)


def _barrier(c: Context, registers: Registers, operands: tuple[Operand, ...], *, arrives: bool) -> Step:
    """Compile `bar.sync number, threads`, or `bar.arrive`."""
    span, codes = registers.span, [registers.value(registers.single(operand), INT) for operand in operands]
    if codes[0].constant is not None and not 0 <= codes[0].constant < 16:
        raise registers.refused(f"a block's barriers have the numbers 0 to 15, not {codes[0].constant}")
    if len(codes) > 1 and codes[1].constant is not None and codes[1].constant % WARP_SIZE:
        raise registers.refused(f"a barrier waits for whole warps, not for {codes[1].constant} threads")
    if arrives and codes[0].constant == 0:
        raise c.unsupported(span, "ptx instruction 'bar.arrive 0'; use another number, 0 is __syncthreads()")
    call = ast.Call(span, BARRIER, ())
    # Barriers of other numbers meet wherever they stand in the source.
    if codes[0].constant != 0 or not _is_whole(c, codes):
        names = [ast.Name(span, name) for name in ("(number)", "(threads)")[: len(codes)]]
        function = ARRIVE if arrives else f"__barrier_sync{'_count' * (len(codes) > 1)}"
        call = ast.Call(span, function, tuple(names))
    with c.scope():
        for name, code in zip(("(number)", "(threads)"), codes, strict=False):
            c.declare(name, code)
        return c.registry.statements[call.function](c, ast.Do(span, call), call)


def _vote(c: Context, registers: Registers, operands: tuple[Operand, ...], way: str) -> Step:
    target, *numbers, condition = operands
    span = registers.span
    if not _is_whole(c, [registers.value(registers.single(one), INT) for one in numbers]):
        raise c.unsupported(span, "bar.red of a part of the block; use one of the whole block")
    number, begin = c.new_statement(span, "do"), c.machine.recorder.step
    with c.hoisting() as before:
        asked = registers.value(registers.single(condition), BOOL)
        found = registers.snippet(f"__syncthreads_{way}(a)" + (" != 0" if way != "count" else ""), a=asked)
        put = registers.put(target, found if way != "count" else registers.seen(found, UINT))

    def take(group: Group, mask: Active) -> Active:
        begin(number, group, mask)
        put(group, mask)
        return mask

    return after(before, Step(take))


def _exit(c: Context, registers: Registers, instruction: Instruction) -> Step:
    frame = c.frames[-1]
    if not frame.function.kernel:
        raise c.unsupported(registers.span, "ptx instruction 'exit' outside of a kernel; return to it first")
    number, begin = c.new_statement(registers.span, "jump"), c.machine.recorder.step
    if frame.loops:
        frame.loops[-1].returns = True
    guard = None if instruction.guard is None else registers.value(instruction.guard, BOOL).run

    def leave(group: Group, mask: Active) -> Active:
        begin(number, group, mask)
        yes, no = (mask, EMPTY) if guard is None else group.split(mask, guard(group, mask))
        if yes is not EMPTY:
            group.exit(yes)
        return no

    return Step(leave, None, True)
