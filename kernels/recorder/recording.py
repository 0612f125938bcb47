"""Recordings: the accesses and results of a launch on a GPU, and their comparison with the simulator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.recorder.log import AccessNote
from kernels.trace import element_name
from kernels.trace.members import value_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from kernels.launch import Launch
    from kernels.recorder.log_entries import Entries
    from kernels.trace import Trace

_KINDS: Final = ("read", "write", "atomic")
_VERBS: Final = ("reads", "writes", "updates")
_COLUMNS: Final = ("array", "offset", "bytes", "line", "kind")
_SHOWN: Final = 5


@dataclass(frozen=True, eq=False)
class Accesses:
    """The accesses of all threads, those of the first thread first, each in program order."""

    arrays: tuple[tuple[str, str], ...]
    """Space and name of each array."""
    first: NDArray[np.int64]
    """Thread t has the rows `first[t]:first[t + 1]`."""
    rows: NDArray[np.int64]
    """Columns: position in `arrays`, first byte in the array, bytes, line, kind (0 read, 1 write, 2 atomic)."""

    def __len__(self) -> int:
        return len(self.rows)

    def of(self, thread: int, rows: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """Return the rows of one thread, from `rows` or from a table in the same order."""
        return (self.rows if rows is None else rows)[self.first[thread] : self.first[thread + 1]]

    def renumbered(self, numbers: Mapping[tuple[str, str], int]) -> NDArray[np.int64]:
        """Return the rows with arrays numbered by name, so that two recordings can be compared."""
        rows = self.rows.copy()
        rows[:, 0] = np.array([numbers[name] for name in self.arrays], np.int64)[rows[:, 0]]
        return rows


@dataclass(frozen=True, eq=False)
class Recording:
    """One launch on the GPU, instrumented and plain."""

    launch: Launch
    entries: Entries
    accesses: Accesses
    results: Mapping[str, NDArray[np.generic]]
    """Arrays after the instrumented run, and variables at file scope as bytes."""
    outputs: Mapping[str, NDArray[np.generic]]
    """The same after the plain run."""


def accesses_in(entries: Entries, threads: int) -> Accesses:
    """Return the accesses among the entries of a log."""
    is_access = entries.array >= 0
    notes = [note if isinstance(note, AccessNote) else None for note in entries.notes]
    line = np.array([note.span.line if note else 0 for note in notes], np.int64)
    kind = np.array([_KINDS.index(note.access) if note else 0 for note in notes], np.int64)
    note = entries.note[is_access]
    columns = (entries.array[is_access], entries.offset[is_access], entries.bytes[is_access], line[note], kind[note])
    first = np.concatenate([[0], np.cumsum(np.bincount(entries.thread[is_access], minlength=threads))])
    return Accesses(tuple((a.space, a.name) for a in entries.arrays), first, np.stack(columns, axis=1))


def accesses_of(trace: Trace) -> Accesses:
    """Return the accesses of a trace, thread by thread."""
    lengths = np.diff(trace.group_first)
    lane = np.concatenate([np.zeros(0, np.int32), *(trace.masks[mask] for mask in trace.group_mask)])
    order = np.argsort(lane, kind="stable")
    items = [trace.arrays[s.array].dtype.itemsize for s in trace.sites]
    sites = [
        (s.array, item, s.width * item, s.span.line, _KINDS.index(s.access))
        for s, item in zip(trace.sites, items, strict=True)
    ]
    rows = np.array(sites, np.int64).reshape(-1, len(_COLUMNS))[np.repeat(trace.group_site, lengths)]
    rows[:, 1] *= trace.index
    first = np.concatenate([[0], np.cumsum(np.bincount(lane, minlength=trace.launch.thread_count))])
    return Accesses(tuple((a.space, a.name) for a in trace.arrays), first, rows[order])


def differences(trace: Trace, recording: Recording) -> tuple[str, ...]:
    """Compare a recording with the trace of the same launch: outputs bit by bit, accesses thread by thread.

    Returns a sentence for each output that differs, and for the first few threads whose accesses differ.
    """
    return (*_output_differences(trace, recording), *_access_differences(trace, recording.accesses))


def find_disturbances(recording: Recording) -> tuple[str, ...]:
    """Return a sentence for each output that instrumentation changed, as it can by preventing an FMA."""
    found = []
    for name, values in recording.outputs.items():
        plain = np.ascontiguousarray(values).reshape(-1)
        instrumented = np.ascontiguousarray(recording.results[name]).reshape(-1)
        unlike = np.flatnonzero(_unlike(plain, instrumented))
        if len(unlike):
            at = int(unlike[0])
            found.append(
                f"{name}[{at}]: {instrumented[at]} in the instrumented kernel, {plain[at]} in the plain one "
                f"({len(unlike):,} of {plain.size:,} elements differ)"
            )
    return tuple(found)


def _output_differences(trace: Trace, recording: Recording) -> list[str]:
    found = []
    for name, simulated in trace.outputs.items():
        if name not in recording.outputs:
            continue  # a variable at file scope that this kernel does not use
        recorded = np.ascontiguousarray(recording.outputs[name]).view(np.uint8).reshape(-1).view(simulated.dtype)
        unlike = np.flatnonzero(_unlike(simulated.reshape(-1), recorded))
        if len(unlike):
            at = int(unlike[0])
            element, (ours, theirs) = _element(trace, name, at, simulated, recorded)
            found.append(
                f"{element}: simulated {ours}, on the GPU {theirs} "
                f"({len(unlike):,} of {simulated.size:,} elements differ)"
            )
    return found


def _access_differences(trace: Trace, accesses: Accesses) -> list[str]:
    simulated = accesses_of(trace)
    names = {name: number for number, name in enumerate(dict.fromkeys((*simulated.arrays, *accesses.arrays)))}
    ours, theirs = simulated.renumbered(names), accesses.renumbered(names)
    if np.array_equal(simulated.first, accesses.first) and np.array_equal(ours, theirs):
        return []
    found: list[str] = []
    for lane in range(trace.launch.thread_count):
        one, other = simulated.of(lane, ours), accesses.of(lane, theirs)
        both = min(len(one), len(other))
        unlike = np.flatnonzero((one[:both] != other[:both]).any(axis=1))
        if not len(unlike) and len(one) == len(other):
            continue
        at = int(unlike[0]) if len(unlike) else both
        found.append(
            f"thread {tuple(trace.thread_of(lane))} of block {tuple(trace.block_of(lane))}, access {at + 1}: "
            f"simulated {_words(trace, simulated, lane, at)}, on the GPU {_words(trace, accesses, lane, at)}"
        )
        if len(found) == _SHOWN:
            break
    return found


def _words(trace: Trace, side: Accesses, lane: int, at: int) -> str:
    rows = side.of(lane)
    if at >= len(rows):
        return f"ends after {len(rows)}"
    array, offset, size, line, kind = rows[at].tolist()
    space, name = side.arrays[array]
    info = next((a for a in trace.arrays if (a.space, a.name) == (space, name)), None)
    index, rest = divmod(offset, 1 if info is None else info.dtype.itemsize)
    where = f"{name}[{index}]" if info is None or info.struct is None else element_name(info, index, flat=True)
    return f"{_VERBS[kind]} {size} bytes at {where}{f' + {rest}' if rest else ''} ({space}) in line {line}"


def _element(trace: Trace, name: str, at: int, *outputs: NDArray[np.generic]) -> tuple[str, tuple[object, ...]]:
    """Return the name of an element of an output and its value in each of several; struct members by their type."""
    info = trace.arrays[trace.array_number(name)]
    if info.struct is None:
        return f"{name}[{at}]", tuple(output.reshape(-1)[at] for output in outputs)
    index = at * outputs[0].itemsize // info.dtype.itemsize
    words = [np.ascontiguousarray(output).reshape(-1).view(info.dtype) for output in outputs]
    known = np.ones(info.size, bool)
    return element_name(info, index, flat=True), tuple(value_of(info, index, word, known) for word in words)


def _unlike(one: NDArray[np.generic], other: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Compare bit by bit; all NaNs are equal, because no standard defines their payload."""
    bits = [np.ascontiguousarray(side).view(np.uint8).reshape(side.size, -1) for side in (one, other)]
    unlike: NDArray[np.bool_] = (bits[0] != bits[1]).any(axis=1)
    both_nan: NDArray[np.bool_] = (one != one) & (other != other)
    return unlike & ~both_nan
