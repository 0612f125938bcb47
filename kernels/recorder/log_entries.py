"""Decoding of a log: the order in which accesses take effect, and the array of each address."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kernels.recorder.log import EVERYTHING, AccessNote, ArrayNote, Note, PipelineNote, TextLoop

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kernels.frontend.ast import Span
    from kernels.trace.records import Space


@dataclass(frozen=True, slots=True)
class DeviceArray:
    """An array in global memory."""

    name: str
    address: int
    bytes: int


@dataclass(frozen=True, slots=True)
class LoggedArray:
    """An array that occurs in a log."""

    name: str
    space: Space
    bytes: int
    span: Span | None = None
    """Declaration, None for an argument."""


@dataclass(frozen=True, eq=False)
class Entries:
    """The decoded log: all entries of the first thread, then those of the second, each in program order."""

    notes: Sequence[Note]
    loops: Sequence[TextLoop]
    arrays: tuple[LoggedArray, ...]
    thread: NDArray[np.int64]
    """Linear number of the thread."""
    note: NDArray[np.int64]
    """Position in `notes`."""
    array: NDArray[np.int64]
    """Of an access: position of its array in `arrays`; -1 for other entries."""
    offset: NDArray[np.int64]
    """Of an access: first byte in the array."""
    bytes: NDArray[np.int64]
    """Size of the access or assigned value."""
    value: NDArray[np.uint8]
    """The written or assigned value, 16 bytes each."""
    time: NDArray[np.uint64]
    """Of a step: time in nanoseconds."""


def decode(
    log: NDArray[np.void],
    counts: NDArray[np.integer],
    notes: Sequence[Note],
    loops: Sequence[TextLoop],
    arrays: Sequence[DeviceArray],
    dynamic_shared_bytes: int,
) -> Entries:
    """Find the array of each address in a log.

    Parameters
    ----------
    log : array of `kernels.recorder.log.ENTRY`
        The entries of thread 0, those of thread 1, and so on.
    counts : array of integers
        Entries of each thread.
    notes, loops
        The notes of the text by number, and its loops.
    arrays
        The arrays among the arguments.
    dynamic_shared_bytes
        Size of the launch's dynamic shared memory.

    An address that is neither in an argument nor in an array whose address the thread has logged belongs to a
    register that is accessed through a reference or pointer. The simulator does not record such accesses either.
    """
    log, counts = _apply_waits(log, counts, notes)
    note, address = log["note"].astype(np.int64), log["address"]
    thread = np.repeat(np.arange(len(counts)), counts)
    logged = [LoggedArray(array.name, "global", array.bytes) for array in arrays]
    found, offset = np.full(len(log), -1), np.zeros(len(log), np.int64)
    # Arguments first: their addresses hold for the whole run. Addresses of declared arrays are logged by each thread.
    for number, array in enumerate(arrays):
        inside = (address >= array.address) & (address < array.address + array.bytes)
        found[inside] = number
        offset[inside] = (address[inside] - np.uint64(array.address)).astype(np.int64)
    newest = np.full(len(log), -1)
    dynamic: LoggedArray | None = None
    for number, entry in enumerate(notes):
        if not isinstance(entry, ArrayNote):
            continue
        # For each entry the thread's latest entry with the address of this array.
        begin = np.maximum.accumulate(np.where(note == number, np.arange(len(log)), -1))
        is_logged = (begin > newest) & (thread[begin] == thread)
        size = entry.bytes or dynamic_shared_bytes
        inside = is_logged & (address >= address[begin]) & (address < address[begin] + np.uint64(size))
        if not entry.bytes and dynamic is not None:
            one = dynamic  # all names of dynamic shared memory are one array
        else:
            one = LoggedArray(entry.name, entry.space, size, entry.span)
            dynamic = dynamic if entry.bytes else one
        if one not in logged:
            logged.append(one)
        # Of arrays that had the same memory at different times, the one whose address the thread logged last counts.
        found[inside] = logged.index(one)
        newest[inside] = begin[inside]
        offset[inside] = (address - address[begin])[inside].astype(np.int64)
    found[~np.array([isinstance(entry, AccessNote) for entry in notes], bool)[note]] = -1
    return Entries(
        notes,
        loops,
        tuple(logged),
        thread,
        note,
        found,
        offset,
        log["bytes"].astype(np.int64),
        np.ascontiguousarray(log["value"]),
        address,
    )


def _apply_waits(
    log: NDArray[np.void], counts: NDArray[np.integer], notes: Sequence[Note]
) -> tuple[NDArray[np.void], NDArray[np.integer]]:
    """Return the log in the order in which accesses take effect, and the number of each thread's entries.

    The write of an asynchronous copy takes effect at the wait that completes it, as in the simulator. A copy belongs
    to the group that its thread commits next. A wait for N leaves the latest N groups in flight (PTX ISA,
    "cp.async.wait_group"). Copies without a wait are dropped: they may never be written. For example, the copies a
    and b in `a; commit; b; commit; wait 1; read` give the order a, read: b is still in flight.
    """
    if not any(isinstance(note, PipelineNote) for note in notes):
        return log, counts
    order: list[int] = []
    lengths = np.zeros_like(counts)
    row = 0
    for thread, count in enumerate(counts.tolist()):
        before = len(order)
        order += _effective_order(log[row : row + count], notes, row)
        lengths[thread] = len(order) - before
        row += count
    return log[order], lengths


def _effective_order(entries: NDArray[np.void], notes: Sequence[Note], first: int) -> list[int]:
    order: list[int] = []
    in_flight: list[tuple[int, int]] = []  # row, and number of groups committed before
    committed = 0
    for row, (number, size) in enumerate(zip(entries["note"].tolist(), entries["bytes"].tolist(), strict=True), first):
        note = notes[number]
        if isinstance(note, PipelineNote):
            if note.waits:
                last = committed + 1 if size == EVERYTHING else committed - size
                order += [copy for copy, group in in_flight if group < last]
                in_flight = [(copy, group) for copy, group in in_flight if group >= last]
            else:
                committed += 1
        elif isinstance(note, AccessNote) and note.deferred:
            in_flight.append((row, committed))
        else:
            order.append(row)
    return order
