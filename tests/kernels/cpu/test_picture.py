"""The picture of a CPU baseline comes from a `.cu` file, its time from Numba's loop: both are one program."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from kernels.catalog import find_kernel
from kernels.cpu.loops import row_cuts
from kernels.cpu.matmul import _rows
from kernels.launch import Dim3
from kernels.tracing import trace_kernel
from kernels.workload import Size


class Noted:
    """A matrix that notes which element is read or written, and holds nothing."""

    def __init__(self, name: str, rows: int, columns: int, notes: list[tuple[str, int]]) -> None:
        self.name, self.shape, self.notes = name, (rows, columns), notes

    def _note(self, at: tuple[int, int]) -> None:
        self.notes.append((self.name, at[0] * self.shape[1] + at[1]))

    def __getitem__(self, at: tuple[int, int]) -> float:
        self._note(at)
        return 1.0

    def __setitem__(self, at: tuple[int, int], value: Any) -> None:
        self._note(at)


def touched_by_the_loop(size: Size, first: int, last: int) -> list[tuple[str, int]]:
    notes: list[tuple[str, int]] = []
    a, b, c = (
        Noted(name, *shape, notes)
        for name, shape in (("A", (size.m, size.k)), ("B", (size.k, size.n)), ("C", (size.m, size.n)))
    )
    _rows(a, b, c, first, last)  # type: ignore[arg-type]
    return notes


def touched_in_the_picture(name: str, size: Size, threads: int, worker: int) -> list[tuple[str, int]]:
    trace = trace_kernel(find_kernel(name), size, Dim3(threads))
    return [
        (group.array.name, int(index))
        for step in range(trace.steps)
        for group in trace.accesses(step)
        for lane, index in zip(group.lanes, group.index, strict=True)
        if lane == worker
    ]


@pytest.mark.parametrize("size", [Size(1, 1, 1), Size(4, 4, 4), Size(5, 3, 2)], ids=str)
def test_one_worker_touches_the_same_elements_in_the_same_order(size: Size) -> None:
    assert touched_in_the_picture("cpu_sequential", size, 1, 0) == touched_by_the_loop(size, 0, size.m)


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
@pytest.mark.parametrize("size", [Size(4, 4, 4), Size(5, 3, 2)], ids=str)
def test_every_worker_has_the_rows_that_its_thread_has(size: Size, threads: int) -> None:
    for worker, cut in enumerate(pairwise(row_cuts(size.m, threads))):
        expected = touched_by_the_loop(size, *cut)
        assert touched_in_the_picture("cpu_parallel", size, threads, worker) == expected
