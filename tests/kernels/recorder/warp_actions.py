"""Actions of every warp in a trace, comparable between schedules."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.analysis import counts
from kernels.launch import WARP_SIZE
from kernels.recorder.recording import accesses_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from kernels.trace import Trace

Row = tuple[Any, ...]

LATER: Final = ("functions", "inheritance", "members", "references", "values_from_functions")
"""Constructs in which a variable is noted later: what a function changes through references, where it returns."""

PLACES: Final = ("copies_in_ptx", "matmul_async")
"""Kernels that ask where shared memory is, which the simulator places otherwise."""

INDETERMINATE: Final = ("stencil_in_registers", "stencil_planes_in_registers")
"""Kernels that copy a register without a value, which they then do not use: on a GPU it holds anything."""

ELSEWHERE: Final = (
    "conversions",
    "counting_barriers",
    "jacobi_until_all_agree",
    "list_of_bases",
    "block_sum_two_stages",
    "matmul_async",
)
"""Kernels whose steps differ: C++ calls conversions by itself, so they are part of the statement that needs them;
a barrier inside a statement comes where it stands, not before; pointers kept in memory are other numbers there; where
some blocks leave a loop that others go on with, that step has no phase of its own for them;
and matmul_async, whose loop passes no barrier in its first rounds (accesses and counts are the same)."""


def assert_same(trace: Trace, expected: Trace, name: str = "") -> None:
    """Compare a recorded trace with the simulator's: words, counts, accesses of threads, steps of warps."""
    for table in ("statements", "arrays", "sites", "registers", "scalars", "launch", "text", "kernel"):
        assert getattr(trace, table) == getattr(expected, table)
    assert counts(trace).arrays == counts(expected).arrays
    assert counts(trace).lines == counts(expected).lines
    assert counts(trace).sites == counts(expected).sites
    assert counts(trace).reuse == counts(expected).reuse
    one, other = accesses_of(trace), accesses_of(expected)
    np.testing.assert_array_equal(one.first, other.first)
    np.testing.assert_array_equal(one.rows, other.rows)
    if name in (*ELSEWHERE, *INDETERMINATE):
        return
    assert counts(trace).issued == counts(expected).issued
    ours, theirs = steps_of_warps(trace), steps_of_warps(expected)
    same = name not in (*LATER, *PLACES)
    assert ours.keys() == theirs.keys()
    for warp in theirs:
        for step, simulated in zip(ours[warp], theirs[warp], strict=True):
            assert step[:-1] == simulated[:-1]
            assert not same or step[-1] == simulated[-1]
    # A parameter that is a reference has no value of its own here, also where the call gives it a number.
    assert name in PLACES or last_values(ours).items() <= last_values(theirs).items()


def assert_same_columns(trace: Trace, other: Trace) -> None:
    """Compare everything that two traces hold."""
    for field in fields(trace):
        mine, theirs = getattr(trace, field.name), getattr(other, field.name)
        if field.name in ("initial", "masks"):
            assert all(map(_equal, mine, theirs))
        elif field.name == "outputs":
            assert all(_equal(values, theirs[name]) for name, values in mine.items())
        elif isinstance(mine, np.ndarray):
            assert mine.dtype == theirs.dtype
            np.testing.assert_array_equal(mine, theirs)
        else:
            assert mine == theirs


def _equal(one: NDArray[Any] | None, other: NDArray[Any] | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


def steps_of_warps(trace: Trace) -> dict[int, list[Row]]:
    """Return the steps of each warp: statement, phase, epoch, lanes; accesses with what they write; assignments.

    What atomics write is left out: they come in any order.
    """
    found: dict[int, list[Row]] = {}
    assigned = np.searchsorted(trace.set_step, np.arange(trace.steps + 1))
    for step in range(trace.steps):
        for warp, lanes, _ in _by_warp(trace, trace.lanes(step)):
            statement = trace.statement(step)
            place = (statement.span, statement.text, int(trace.step_phase[step]), int(trace.step_epoch[step]))
            found.setdefault(warp, []).append((*place, lanes, [], []))
        for group in trace.accesses(step):
            for warp, lanes, at in _by_warp(trace, group.lanes):
                plain = group.values is not None and group.site.access == "write"
                values = group.values[at].tobytes() if plain and group.values is not None else b""
                found[warp][-1][-2].append((group.site, lanes, group.index[at].tolist(), values))
        for row in range(assigned[step], assigned[step + 1]):
            register = trace.registers[trace.set_register[row]]
            group_lanes = trace.masks[trace.set_mask[row]]
            for warp, lanes, at in _by_warp(trace, group_lanes):
                found[warp][-1][-1].append((register, lanes, _assigned(trace, row)[at].tolist()))
    return found


def last_values(steps: dict[int, list[Row]]) -> dict[tuple[Any, int], bytes]:
    """Return what the variables with a name hold at the end, by register and lane."""
    found = {}
    for rows in steps.values():
        for row in rows:
            for register, lanes, values in row[-1]:
                if "(" not in register.name:
                    found.update({(register, lane): value for lane, value in zip(lanes, values, strict=True)})
    return found


def _assigned(trace: Trace, row: int) -> NDArray[np.void]:
    """Return the bytes of what was assigned, one a lane."""
    item = trace.registers[trace.set_register[row]].dtype.itemsize
    lanes = len(trace.masks[trace.set_mask[row]])
    start, count = int(trace.set_value[row]), 1 if trace.set_uniform[row] else lanes
    values = trace.value_bytes[start : start + count * item].view(f"V{item}")
    return np.broadcast_to(values, lanes)


def _by_warp(trace: Trace, lanes: NDArray[np.int32]) -> Iterator[tuple[int, list[int], NDArray[np.intp]]]:
    block, thread = np.divmod(lanes, trace.launch.block.count)
    warps = block * trace.launch.warps_per_block + thread // WARP_SIZE
    for warp in np.unique(warps).tolist():
        at = np.flatnonzero(warps == warp)
        yield warp, lanes[at].tolist(), at
