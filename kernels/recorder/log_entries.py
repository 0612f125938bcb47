"""A log made readable: what the addresses in it belong to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kernels.recorder.log import AccessNote, ArrayNote, Note, TextLoop
from kernels.recorder.pipeline import settled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kernels.frontend.ast import Span
    from kernels.trace.records import Space


@dataclass(frozen=True, slots=True)
class DeviceArray:
    """An array in the device's global memory: its first byte there, and its size."""

    name: str
    address: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Met:
    """An array that a thread can meet. `span` is its declaration, None for an argument."""

    name: str
    space: Space
    bytes: int
    span: Span | None = None


@dataclass(frozen=True, eq=False)
class Entries:
    """Everything that the threads noted, thread after thread and each in the order of its program.

    Columns
    -------
    thread, note : int64[entries]
        Linear number of the thread, and what in `notes` it noted.
    array, offset : int64[entries]
        Of an access: which of `arrays`, and the first byte in it. -1 for what is no access to any of them.
    bytes : int64[entries]; value : uint8[entries, 16]
        Size of what was accessed or assigned, and what was written or assigned.
    time : uint64[entries]
        Of a step: nanoseconds.
    """

    notes: Sequence[Note]
    loops: Sequence[TextLoop]
    arrays: tuple[Met, ...]
    thread: NDArray[np.int64]
    note: NDArray[np.int64]
    array: NDArray[np.int64]
    offset: NDArray[np.int64]
    bytes: NDArray[np.int64]
    value: NDArray[np.uint8]
    time: NDArray[np.uint64]


def decode(
    log: NDArray[np.void],
    counts: NDArray[np.integer],
    notes: Sequence[Note],
    loops: Sequence[TextLoop],
    arrays: Sequence[DeviceArray],
    dynamic_shared_bytes: int,
) -> Entries:
    """Find out what the addresses in a log belong to.

    Parameters
    ----------
    log : array of `kernels.recorder.log.ENTRY`
        The entries of thread 0, those of thread 1, and so on.
    counts : array of integers
        Entries of each thread.
    notes, loops
        What the numbers in the entries stand for.
    arrays
        Where the arrays given as arguments lie.
    dynamic_shared_bytes
        Size of the launch's dynamic shared memory.

    An address in none of these, nor in an array whose beginning the thread has noted, is a register's, met
    through a reference or a pointer: the simulator keeps no account of those either.
    """
    log, counts = settled(log, counts, notes)
    note, address = log["note"].astype(np.int64), log["address"]
    thread = np.repeat(np.arange(len(counts)), counts)
    met = [Met(array.name, "global", array.bytes) for array in arrays]
    found, offset = np.full(len(log), -1), np.zeros(len(log), np.int64)
    for number, array in enumerate(arrays):
        inside = (address >= array.address) & (address < array.address + array.bytes)
        found[inside] = number
        offset[inside] = (address[inside] - np.uint64(array.address)).astype(np.int64)
    newest = np.full(len(log), -1)
    dynamic: Met | None = None
    for number, entry in enumerate(notes):
        if not isinstance(entry, ArrayNote):
            continue
        # The thread's last note of where this array begins, before each row.
        begin = np.maximum.accumulate(np.where(note == number, np.arange(len(log)), -1))
        known = (begin > newest) & (thread[begin] == thread)
        size = entry.bytes or dynamic_shared_bytes
        inside = known & (address >= address[begin]) & (address < address[begin] + np.uint64(size))
        if not entry.bytes and dynamic is not None:
            one = dynamic  # dynamic shared memory is one array, by whatever names
        else:
            one = Met(entry.name, entry.space, size, entry.span)
            dynamic = dynamic if entry.bytes else one
        if one not in met:
            met.append(one)
        found[inside] = met.index(one)
        newest[inside] = begin[inside]
        offset[inside] = (address - address[begin])[inside].astype(np.int64)
    found[~np.array([isinstance(entry, AccessNote) for entry in notes], bool)[note]] = -1
    return Entries(
        notes,
        loops,
        tuple(met),
        thread,
        note,
        found,
        offset,
        log["bytes"].astype(np.int64),
        np.ascontiguousarray(log["value"]),
        address,
    )
