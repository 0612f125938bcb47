"""What the threads of a launch did on a GPU, and whether the simulator says the same."""

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
    """The accesses of every thread, one row each, thread after thread and each in the order of its program.

    Thread t (linear, as lanes are) has the rows `first[t]:first[t + 1]` of `rows`, whose columns are: position in
    `arrays` (space and name), first byte in the array, number of bytes, line, and kind (0 read, 1 write, 2 atomic).
    """

    arrays: tuple[tuple[str, str], ...]
    first: NDArray[np.int64]
    rows: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.rows)

    def of(self, thread: int, rows: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """Return the rows of one thread, of `rows` or of others made from them."""
        return (self.rows if rows is None else rows)[self.first[thread] : self.first[thread + 1]]

    def named(self, numbers: Mapping[tuple[str, str], int]) -> NDArray[np.int64]:
        """Return the rows with other numbers for the arrays, so that two sides can be compared."""
        rows = self.rows.copy()
        rows[:, 0] = np.array([numbers[name] for name in self.arrays], np.int64)[rows[:, 0]]
        return rows


@dataclass(frozen=True, eq=False)
class Recording:
    """One launch on the GPU: what the instrumented kernel did and left, and what the kernel without instruments left.

    `outputs` are of the latter, `results` of the former: the arguments, and the variables of the file as bytes.
    """

    launch: Launch
    entries: Entries
    accesses: Accesses
    results: Mapping[str, NDArray[np.generic]]
    outputs: Mapping[str, NDArray[np.generic]]


def accesses_in(entries: Entries, threads: int) -> Accesses:
    """Return the accesses among what the threads of a launch noted."""
    kept = entries.array >= 0
    noted = [note if isinstance(note, AccessNote) else None for note in entries.notes]
    line = np.array([note.span.line if note else 0 for note in noted], np.int64)
    kind = np.array([_KINDS.index(note.access) if note else 0 for note in noted], np.int64)
    note = entries.note[kept]
    columns = (entries.array[kept], entries.offset[kept], entries.bytes[kept], line[note], kind[note])
    first = np.concatenate([[0], np.cumsum(np.bincount(entries.thread[kept], minlength=threads))])
    return Accesses(tuple((a.space, a.name) for a in entries.arrays), first, np.stack(columns, axis=1))


def accesses_of(trace: Trace) -> Accesses:
    """Return the accesses that the simulator recorded, thread by thread."""
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
    """Say where a recording and a trace of the same launch part: outputs bit by bit, accesses thread by thread.

    Returns a sentence for each output that differs and for the first few threads that do.
    """
    return (*_output_differences(trace, recording), *_access_differences(trace, recording.accesses))


def disturbed(recording: Recording) -> tuple[str, ...]:
    """Say which outputs the notes have changed, bit by bit: they keep the compiler from fusing what it fuses else."""
    found = []
    for name, values in recording.outputs.items():
        plain = np.ascontiguousarray(values).reshape(-1)
        noted = np.ascontiguousarray(recording.results[name]).reshape(-1)
        unlike = np.flatnonzero(_unlike(plain, noted))
        if len(unlike):
            at = int(unlike[0])
            found.append(
                f"{name}[{at}]: {noted[at]} where every step is noted, {plain[at]} where none is "
                f"({len(unlike):,} of {plain.size:,} elements differ)"
            )
    return tuple(found)


def _output_differences(trace: Trace, recording: Recording) -> list[str]:
    found = []
    for name, simulated in trace.outputs.items():
        if name not in recording.outputs:
            continue  # a variable of the file that this kernel does not use
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


def _access_differences(trace: Trace, recorded: Accesses) -> list[str]:
    simulated = accesses_of(trace)
    names = {name: number for number, name in enumerate(dict.fromkeys((*simulated.arrays, *recorded.arrays)))}
    ours, theirs = simulated.named(names), recorded.named(names)
    if np.array_equal(simulated.first, recorded.first) and np.array_equal(ours, theirs):
        return []
    found: list[str] = []
    for lane in range(trace.launch.thread_count):
        one, other = simulated.of(lane, ours), recorded.of(lane, theirs)
        both = min(len(one), len(other))
        unlike = np.flatnonzero((one[:both] != other[:both]).any(axis=1))
        if not len(unlike) and len(one) == len(other):
            continue
        at = int(unlike[0]) if len(unlike) else both
        found.append(
            f"thread {tuple(trace.thread_of(lane))} of block {tuple(trace.block_of(lane))}, access {at + 1}: "
            f"simulated {_words(trace, simulated, lane, at)}, on the GPU {_words(trace, recorded, lane, at)}"
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
    """Return what a number of an output is called, and what it is in each of some: a struct's members by their type."""
    info = trace.arrays[trace.array_number(name)]
    if info.struct is None:
        return f"{name}[{at}]", tuple(output.reshape(-1)[at] for output in outputs)
    index = at * outputs[0].itemsize // info.dtype.itemsize
    words = [np.ascontiguousarray(output).reshape(-1).view(info.dtype) for output in outputs]
    known = np.ones(info.size, bool)
    return element_name(info, index, flat=True), tuple(value_of(info, index, word, known) for word in words)


def _unlike(one: NDArray[np.generic], other: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Compare bit by bit; but one NaN is like another, for no standard says which of them comes out."""
    bits = [np.ascontiguousarray(side).view(np.uint8).reshape(side.size, -1) for side in (one, other)]
    unlike: NDArray[np.bool_] = (bits[0] != bits[1]).any(axis=1)
    both_nan: NDArray[np.bool_] = (one != one) & (other != other)
    return unlike & ~both_nan
