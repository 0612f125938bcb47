"""PTX barriers: `bar`, and `mbarrier`, whose state is a word in shared memory.

Each is a separate statement of the trace, as `__syncthreads()` is. An `mbarrier` is a barrier object of libcu++
(`__phase_arrive`, …). `test_wait` and `try_wait` wait for the end of the phase, as if a loop around them repeated them
until they succeed; their predicate is always true. `cp.async.mbarrier.arrive` hands the thread's copies in flight over
to the barrier: they are written when a thread has waited for the phase in which it arrives.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kernels.frontend import ast
from kernels.frontend.types import BOOL, INT, UINT, ULONG, Pointer
from kernels.launch import WARP_SIZE
from kernels.simt.compiler.barriers import BARRIER
from kernels.simt.compiler.compiled_values import constant
from kernels.simt.compiler.expressions.operators import convert
from kernels.simt.compiler.partial_barriers import ARRIVE
from kernels.simt.compiler.registry import not_installed
from kernels.simt.libraries.inline_ptx.memory_instructions import pointer
from kernels.simt.machine.steps import Step, sequence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.simt.compiler.compiled_values import Code
    from kernels.simt.compiler.context import Context
    from kernels.simt.libraries.inline_ptx.parser import Instruction, Operand
    from kernels.simt.libraries.inline_ptx.registers import Registers
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.steps import Run

_SPIN: Final = re.compile(
    r"(?P<label>\w+)\s*:\s*(?P<test>mbarrier\.(?:test|try)_wait[^;]*;)\s*"
    r"(?:@!\w+\s+bra(?:\.uni)?\s+(?P=label)\s*;"
    r"|@\w+\s+bra(?:\.uni)?\s+(?P<done>\w+)\s*;\s*bra(?:\.uni)?\s+(?P=label)\s*;\s*(?P=done)\s*:)"
)
"""A loop that repeats a test, in both of its usual forms."""

_SPACES: Final = ("shared", "shared::cta")
_WAITS: Final = tuple(("mbarrier", name, "parity", "b64") for name in ("test_wait", "try_wait"))
_WAIT: Final = "__phase_wait_parity"
"""The equivalent function of libcu++'s barrier objects."""


# --- bar


def bar(c: Context, registers: Registers, instruction: Instruction) -> Step | None:
    """Compile `bar.sync number, threads`, or `bar.arrive`; None for any other instruction."""
    name, span = instruction.name.removesuffix(".aligned"), registers.span
    waits, arrives = name in ("bar.sync", "barrier.sync"), name in ("bar.arrive", "barrier.arrive")
    if not waits and not arrives:
        return None
    _refuse_guard(c, registers, instruction)
    operands = registers.count(instruction, 1, 2) if waits else registers.count(instruction, 2)
    codes = [registers.value(registers.single(operand), INT) for operand in operands]
    if codes[0].constant is not None and not 0 <= codes[0].constant < 16:
        raise registers.refusal(f"a block's barriers have the numbers 0 to 15, not {codes[0].constant}")
    if len(codes) > 1 and codes[1].constant is not None and codes[1].constant % WARP_SIZE:
        raise registers.refusal(f"a barrier waits for whole warps, not for {codes[1].constant} threads")
    if arrives and codes[0].constant == 0:
        raise c.unsupported(span, "ptx instruction 'bar.arrive 0'; use another number, 0 is __syncthreads()")
    call = ast.Call(span, BARRIER, ())
    # Number 0 for all threads is __syncthreads(). Threads at other numbers synchronise from anywhere in the source.
    if codes[0].constant != 0 or not _waits_for_all(c, codes[1:]):
        names = [ast.Name(span, name) for name in ("(number)", "(threads)")[: len(codes)]]
        function = ARRIVE if arrives else f"__barrier_sync{'_count' * (len(codes) > 1)}"
        call = ast.Call(span, function, tuple(names))
    with c.scope():
        for name, code in zip(("(number)", "(threads)"), codes, strict=False):
            c.declare(name, code)
        return c.registry.statements[call.function](c, ast.Do(span, call), call)


def _waits_for_all(c: Context, threads: Sequence[Code]) -> bool:
    return not threads or threads[0].constant == c.machine.launch.block.count


def _refuse_guard(c: Context, registers: Registers, instruction: Instruction) -> None:
    if instruction.guard is not None:
        text, name = instruction.text, instruction.name
        raise c.unsupported(registers.span, f"ptx instruction '{text}'; write {name} without a guard")


# --- mbarrier


def without_spin(text: str) -> str:
    """Return the text of an asm with each loop that repeats a test of a barrier replaced by that test, which waits."""
    return _SPIN.sub(lambda match: match["test"], text)


def mbarrier(c: Context, registers: Registers, instruction: Instruction) -> Run | None:
    """Compile `mbarrier.init`, `.inval`, `.arrive` and `cp.async.mbarrier.arrive`; None for any other instruction."""
    words = tuple(word for word in instruction.words if word not in ("release", "relaxed", "cta", *_SPACES))
    if words == ("cp", "async", "mbarrier", "arrive", "noinc", "b64"):
        (address,) = registers.count(instruction, 1)
        return registers.snippet("__phase_bind_copies(word)", word=_word(c, registers, address)).run
    if words == ("mbarrier", "init", "b64"):
        address, count = registers.count(instruction, 2)
        expected = registers.value(registers.single(count), UINT)
        word = _word(c, registers, address)
        return registers.snippet("*word = (unsigned long long)n << 20 | n", word=word, n=expected).run
    if words == ("mbarrier", "inval", "b64"):
        registers.count(instruction, 1)
        return lambda group, mask: None
    if words in (("mbarrier", "expect_tx", "b64"), ("mbarrier", "arrive", "expect_tx", "b64")):
        *targets, address, size = registers.count(instruction, len(words) - 1)
        expected = registers.value(registers.single(size), UINT)
        expect = registers.snippet("__phase_expect(word, n)", word=_word(c, registers, address), n=expected).run
        if not targets:
            return expect
        arrival = registers.snippet("__phase_arrive(word, n)", word=_word(c, registers, address), n=constant(1, UINT))
        arrive = registers.put(targets[0], arrival)

        def expect_and_arrive(group: Group, mask: Active) -> None:
            expect(group, mask)
            arrive(group, mask)

        return expect_and_arrive
    if words == ("mbarrier", "arrive", "b64"):
        operands = registers.count(instruction, 2, 3)
        target, address = operands[:2]
        has_count = len(operands) == 3
        arrivals = registers.value(registers.single(operands[2]), UINT) if has_count else constant(1, UINT)
        word = _word(c, registers, address)
        return registers.put(target, registers.snippet("__phase_arrive(word, n)", word=word, n=arrivals))
    return None


def mbarrier_wait(c: Context, registers: Registers, instruction: Instruction) -> Step | None:
    """Compile `mbarrier.test_wait.parity` and `.try_wait.parity`; None for any other instruction."""
    words = tuple(word for word in instruction.words if word not in ("acquire", "cta", *_SPACES))
    if words not in _WAITS:
        return None
    span = registers.span
    _refuse_guard(c, registers, instruction)
    wait = c.registry.statements.get(_WAIT)
    if wait is None:
        raise not_installed(c, span, f"ptx instruction '{instruction.name}'", c.registry.library_of(_WAIT))
    target, address, parity, *_ = registers.count(instruction, 3, 4)
    with c.scope():
        c.declare("(word)", _word(c, registers, address))
        c.declare("(parity)", registers.value(registers.single(parity), UINT))
        call = ast.Call(span, _WAIT, (ast.Name(span, "(word)"), ast.Name(span, "(parity)")))
        waits = wait(c, ast.Do(span, call), call)
    put = registers.put(target, constant(True, BOOL))

    def succeed(group: Group, mask: Active) -> Active:
        put(group, mask)
        return mask

    return sequence([waits, Step(succeed)])


def _word(c: Context, registers: Registers, address: Operand) -> Code:
    """Compile the address of a barrier in brackets: a pointer to its 64 bits."""
    return convert(c, pointer(c, registers, address, "shared"), Pointer(ULONG), registers.span, explicit=True)
