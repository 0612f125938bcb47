"""Barrier objects in shared memory, `cuda::barrier`: threads arrive in a phase, and wait for its end.

The object is a word of 64 bits: the arrivals that end a phase, the arrivals still missing, and the number of the phase.
A thread that has waited for the end of a phase is ordered after all threads that arrived in it. An asynchronous copy
that is bound to a barrier is written, and recorded, when the first thread has waited for the phase in which it was
issued; for races it is a write when it is issued, too.

Example for 32 threads: the word is phase 0, missing 32, expected 32. Each arrival decrements missing; the last one
sets phase 1 and missing 32, and the threads that wait for the end of phase 0 continue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend.types import ULONG, VOID
from kernels.simt.compiler.compiled_values import Code, Element
from kernels.simt.compiler.expressions.addresses import base_address, pointee, split_by_array
from kernels.simt.compiler.expressions.elementwise import operands
from kernels.simt.compiler.expressions.load_store import copy_announcer, exchanger, loader, saver
from kernels.simt.compiler.expressions.operators import convert
from kernels.simt.intrinsics.async_copies import COPY_TYPES, take_copies
from kernels.simt.machine.barrier_phases import CopyInFlight
from kernels.simt.machine.hazards import Place
from kernels.simt.machine.steps import ArriveWait, Barrier, Step

if TYPE_CHECKING:
    from collections.abc import Generator

    from numpy.typing import NDArray

    from kernels.frontend.ast import Call, Do, Span
    from kernels.simt.compiler.context import Context
    from kernels.simt.compiler.registry import Compile
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group

_ARRIVE: Final = "__phase_arrive"
_WAIT: Final = "__phase_wait"
_WAIT_PARITY: Final = "__phase_wait_parity"
_ARRIVE_AND_WAIT: Final = "__phase_arrive_and_wait"
_COPY: Final = "__phase_copy"
_BIND_COPIES: Final = "__phase_bind_copies"

WAITS: Final = (_WAIT, _WAIT_PARITY, _ARRIVE_AND_WAIT)
"""Functions that wait for the end of a phase."""

_BITS: Final = 20
_COUNT: Final = np.uint64((1 << _BITS) - 1)
MISSING_BITS: Final = _BITS
"""Position of the arrivals still missing in the word."""

_MISSING: Final = np.uint64(_BITS)
_PHASE: Final = np.uint64(2 * _BITS)


class BarrierObject:
    """A barrier object that a pointer points to: changes and reads of its word, and the number of its phase."""

    def __init__(self, c: Context, node: Call, code: Code) -> None:
        memory = code.memory
        if pointee(code.type) is None or (memory is not None and memory.info.space != "shared"):
            raise c.unsupported(node.span, "barrier outside of shared memory; declare it __shared__")
        self._c = c
        self._offset = code.run
        self._base = (0, 1) if memory is None else (base_address(memory), memory.kind.size_bytes)
        element = Element(memory, code, ULONG, node.span, False)
        self._arrive = exchanger(c, element, _count_arrivals)
        self._read_word = exchanger(c, element, lambda old, _: old)

    def place(self, group: Group, mask: Active) -> Value:
        """Return the position of the word: an offset in its array, or an address."""
        return self._offset(group, mask)

    def arrive(self, group: Group, mask: Active, place: Value, count: Value) -> Value:
        """Count the arrivals of lanes; returns the phase in which they arrive."""
        old = self._arrive(group, mask, place, (count,))
        phase = old >> _PHASE if type(old) is np.ndarray else old >> int(_PHASE)
        self.note("arrive", group, mask, self.keys(group, place, phase))
        return phase

    def keys(self, group: Group, place: Value, phase: Value) -> NDArray[np.int64]:
        """Return the number of the phase of each lane."""
        first, size = self._base
        columns = [np.broadcast_to(np.asarray(x, np.int64), (group.size,)) for x in (place, phase)]
        block = group.lanes // self._c.machine.launch.block.count
        return self._c.machine.phases.keys(block, columns[0] * size + first, columns[1])

    def note(self, kind: Any, group: Group, mask: Active, keys: NDArray[np.int64]) -> None:
        """Record that lanes arrive, or have waited."""
        where = slice(None) if mask is None else mask.where
        self._c.machine.recorder.partial_barrier(kind, group.lanes[where], keys[where])

    def phase(self, group: Group, mask: Active, place: Value) -> NDArray[np.uint64]:
        """Return the phase that each lane's barrier is in, without an access."""
        first, size = self._base
        address = np.broadcast_to(np.asarray(place, np.int64) * size + first, (group.size,))
        phases = np.zeros(group.size, np.uint64)
        for number, lanes, offset in split_by_array(group, mask, address):
            if not 0 <= number < len(self._c.machine.memories):
                continue
            memory, where = self._c.machine.memories[number], slice(None) if lanes is None else lanes.where
            base = group.bases[number]
            at = (0 if base is None else base) * memory.info.dtype.itemsize + offset
            words = memory.data[: len(memory.data) * memory.info.dtype.itemsize // 8 * 8].view(np.uint64)
            phases[where] = words.take(at[where] // 8, mode="clip") >> _PHASE
        return phases

    def read_word(self, group: Group, mask: Active, place: Value) -> None:
        """Read the word, as an atomic."""
        self._read_word(group, mask, place, (0,))


def _count_arrivals(old: Any, count: Any) -> Any:
    """Return the word after arrivals; the last missing arrival begins the next phase."""
    expected, missing, phase = old & _COUNT, old >> _MISSING & _COUNT, old >> _PHASE
    ended = missing <= count
    missing = np.where(ended, expected, missing - count)
    return (phase + ended) << _PHASE | missing << _MISSING | expected


def _arrive(c: Context, node: Call) -> Code:
    """Compile `__phase_arrive(word, count)`; its value is the phase."""
    pointer, count = operands(c, node, 2)
    barrier, number = BarrierObject(c, node, pointer), convert(c, count, ULONG, node.span).run

    def run(group: Group, mask: Active) -> Value:
        place = barrier.place(group, mask)
        return barrier.arrive(group, mask, place, number(group, mask))

    return Code(run, ULONG, None, False)


def _copy(c: Context, node: Call) -> Code:
    """Compile `__phase_copy(to, from, size, word)`: a copy of 4, 8 or 16 bytes."""
    to, source, size, pointer = operands(c, node, 4)
    barrier, kind, statement = BarrierObject(c, node, pointer), COPY_TYPES[size.constant], c.statement
    fetch = loader(c, Element(source.memory, source, kind, node.span, const=True))
    element = Element(to.memory, to, kind, node.span, const=False)
    put, announce = saver(c, element), copy_announcer(c, element)
    where, place = source.run, to.run

    def run(group: Group, mask: Active) -> Value:
        value = fetch(group, mask, where(group, mask))
        word = barrier.place(group, mask)
        key = barrier.keys(group, word, barrier.phase(group, mask, word))
        lanes = np.ones(group.size, bool) if mask is None else mask.bits
        address = place(group, mask)
        announce(group, mask, address, value)
        c.machine.phases.issue(CopyInFlight(group, statement, put, lanes, address, value, key))
        return 0

    return Code(run, VOID, None, False)


def _bind_copies(c: Context, node: Call) -> Code:
    """Compile `__phase_bind_copies(word)`: the arrival of the copies that each lane has in flight.

    They are written when a thread has waited for the current phase.
    """
    (pointer,) = operands(c, node, 1)
    barrier, take, statement = BarrierObject(c, node, pointer), take_copies(c), c.statement

    def run(group: Group, mask: Active) -> Value:
        place = barrier.place(group, mask)
        key = barrier.keys(group, place, barrier.phase(group, mask, place))
        for copy in take(group, mask):
            c.machine.phases.issue(CopyInFlight(group, statement, *copy, key))
        barrier.arrive(group, mask, place, 1)
        return 0

    return Code(run, VOID, None, False)


def wait(c: Context, node: Do, call: Call) -> Step:
    """Compile `__phase_wait(word, phase)`, or the wait for a phase whose number is even (0) or odd (1)."""
    if call.function == _ARRIVE_AND_WAIT:
        return _arrive_and_wait(c, node, call)
    number, begin_step, span = c.new_statement(node.span, "group-barrier"), c.machine.recorder.step, node.span
    pointer, phase_code = operands(c, call, 2)
    barrier, phase_number = BarrierObject(c, call, pointer), convert(c, phase_code, ULONG, call.span).run
    by_parity, phases = call.function == _WAIT_PARITY, c.machine.phases

    def wait(group: Group, mask: Active) -> Generator[Barrier, None, Active]:
        begin_step(number, group, mask)
        place = barrier.place(group, mask)
        phase = np.broadcast_to(np.asarray(phase_number(group, mask), np.uint64), (group.size,))

        def not_ended() -> NDArray[np.bool_]:
            now = barrier.phase(group, mask, place)
            waiting: NDArray[np.bool_] = now & np.uint64(1) == phase if by_parity else now == phase
            return waiting if mask is None else waiting & mask.bits

        def pending() -> NDArray[np.bool_]:
            waiting = not_ended()
            if phases.expects_bytes and waiting.any():
                keys = barrier.keys(group, place, barrier.phase(group, mask, place))[waiting]
                arriving = phases.complete(keys)
                if len(arriving) and phases.land(c.machine.recorder, arriving):
                    waiting = not_ended()
            return waiting

        if pending().any():
            yield Barrier(number, span, mask, pending=pending)
        ended = barrier.phase(group, mask, place) - np.uint64(1) if by_parity else phase
        keys = barrier.keys(group, place, ended)
        for copy in phases.unexpected(keys if mask is None else keys[mask.where]):
            _report_unexpected(c, copy, group, mask, span)
        if c.machine.phases.land(c.machine.recorder, keys if mask is None else keys[mask.where]):
            begin_step(number, group, mask)
        barrier.read_word(group, mask, place)
        barrier.note("wait", group, mask, keys)
        return mask

    return Step(None, wait)


def _report_unexpected(c: Context, copy: CopyInFlight, group: Group, mask: Active, span: Span) -> None:
    """Report a copy that arrives in a phase which does not wait for its bytes."""
    issuer, issued = int(copy.group.lanes[copy.lanes][0]), c.machine.statements[copy.statement].span
    lane, hazards = int(group.lanes[0 if mask is None else mask.where[0]]), c.machine.hazards
    hazards.report(
        "async-race",
        Place(span),
        c.machine.recorder.current,
        group.active(mask),
        ((issuer, issued, "write"), (lane, span, "read")),
        lambda: (
            f"{hazards.name(lane)} waits in {span.where} for a phase that does not expect the {copy.size:,} bytes of "
            f"the copy in {issued.where}, which may still be under way: announce them in that phase with "
            "mbarrier.arrive.expect_tx"
        ),
        other=issued,
    )


def _arrive_and_wait(c: Context, node: Do, call: Call) -> Step:
    """Compile `__phase_arrive_and_wait(word)`; where all threads of a block call it, it is a barrier of the block."""
    number, begin_step, span = c.new_statement(node.span, "group-barrier"), c.machine.recorder.step, node.span
    (pointer,) = operands(c, call, 1)
    barrier = BarrierObject(c, call, pointer)

    def wait(group: Group, mask: Active) -> Generator[Barrier, None, Active]:
        begin_step(number, group, mask)
        place = barrier.place(group, mask)
        phase = np.broadcast_to(np.asarray(barrier.arrive(group, mask, place, 1), np.uint64), (group.size,))
        keys = barrier.keys(group, place, phase)

        def pending() -> NDArray[np.bool_]:
            waiting: NDArray[np.bool_] = barrier.phase(group, mask, place) == phase
            return waiting if mask is None else waiting & mask.bits

        arrive_wait = ArriveWait(keys)
        yield Barrier(number, span, mask, pending=pending, arrive_wait=arrive_wait)
        if c.machine.phases.land(c.machine.recorder, keys if mask is None else keys[mask.where]):
            begin_step(number, group, mask)
        barrier.read_word(group, mask, place)
        if not arrive_wait.whole_blocks:
            barrier.note("wait", group, mask, keys)
        return mask

    return Step(None, wait)


PHASES: Final[dict[str, Compile]] = {_ARRIVE: _arrive, _COPY: _copy, _BIND_COPIES: _bind_copies}
"""By name."""
