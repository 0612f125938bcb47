"""Compiles PTX's barriers in shared memory, `mbarrier`, as the barrier objects of libcu++ (`__phase_arrive`, …).

`test_wait` and `try_wait` wait for the end of the phase, as if a loop around them repeated them until they succeed;
their predicate is always true. `cp.async.mbarrier.arrive` hands the thread's copies in flight over to the barrier: they
are written when a thread has waited for the phase in which it arrives.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kernels.frontend import ast
from kernels.frontend.types import BOOL, UINT, ULONG, Pointer
from kernels.simt.compiler.compiled_values import constant
from kernels.simt.compiler.operators import convert
from kernels.simt.compiler.registry import not_installed
from kernels.simt.libraries.inline_ptx.memory_instructions import pointer
from kernels.simt.machine.steps import Step, sequence

if TYPE_CHECKING:
    from kernels.frontend.parser.ptx import Instruction, Operand
    from kernels.simt.compiler.compiled_values import Code
    from kernels.simt.compiler.context import Context
    from kernels.simt.libraries.inline_ptx.registers import Registers
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.steps import Run

_SPIN: Final = re.compile(
    r"(?P<label>\w+)\s*:\s*(?P<test>mbarrier\.(?:test|try)_wait[^;]*;)\s*"
    r"(?:@!\w+\s+bra(?:\.uni)?\s+(?P=label)\s*;"
    r"|@\w+\s+bra(?:\.uni)?\s+(?P<done>\w+)\s*;\s*bra(?:\.uni)?\s+(?P=label)\s*;\s*(?P=done)\s*:)"
)
"""The loop around a test, in both of its usual forms."""

_SPACES: Final = ("shared", "shared::cta")
_WAITS: Final = ("test_wait", "try_wait")


def without_spin(text: str) -> str:
    """Return the text of an asm with each loop that repeats a test of a barrier replaced by that test, which waits."""
    return _SPIN.sub(lambda found: found["test"], text)


def mbarrier(c: Context, registers: Registers, instruction: Instruction) -> Run | None:
    """Compile `mbarrier.init`, `.inval`, `.arrive` and `cp.async.mbarrier.arrive`; None for any other instruction."""
    words = tuple(word for word in instruction.words if word not in ("release", "cta", *_SPACES))
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
    if words == ("mbarrier", "arrive", "b64"):
        operands = registers.count(instruction, 2, 3)
        target, address = operands[:2]
        counted = len(operands) == 3
        arrivals = registers.value(registers.single(operands[2]), UINT) if counted else constant(1, UINT)
        word = _word(c, registers, address)
        return registers.put(target, registers.snippet("__phase_arrive(word, n, 0)", word=word, n=arrivals))
    return None


def mbarrier_wait(c: Context, registers: Registers, instruction: Instruction) -> Step | None:
    """Compile `mbarrier.test_wait` and `.try_wait` as separate statements; None for any other instruction."""
    words = tuple(word for word in instruction.words if word not in ("acquire", "cta", *_SPACES))
    if words[0] != "mbarrier" or words[1] not in _WAITS or words[-1] != "b64":
        return None
    span = registers.span
    function = {(): "__phase_wait", ("parity",): "__phase_wait_parity"}.get(words[2:-1])
    if function is None or instruction.guard is not None:
        raise c.unsupported(span, f"ptx instruction '{instruction.text}'; write it without a guard")
    wait = c.registry.statements.get(function)
    if wait is None:
        raise not_installed(c, span, f"ptx instruction '{instruction.name}'", c.registry.library_of(function))
    target, address, phase, *_ = registers.count(instruction, 3, 4)
    kind = ULONG if function == "__phase_wait" else UINT
    with c.scope():
        c.declare("(word)", _word(c, registers, address))
        c.declare("(phase)", registers.value(registers.single(phase), kind))
        call = ast.Call(span, function, (ast.Name(span, "(word)"), ast.Name(span, "(phase)")))
        waits = wait(c, ast.Do(span, call), call)
    put = registers.put(target, constant(True, BOOL))

    def succeed(group: Group, mask: Active) -> Active:
        put(group, mask)
        return mask

    return sequence([waits, Step(succeed)])


def _word(c: Context, registers: Registers, address: Operand) -> Code:
    """Compile the address of a barrier in brackets: a pointer to its 64 bits."""
    return convert(c, pointer(c, registers, address, "shared"), Pointer(ULONG), registers.span, explicit=True)
