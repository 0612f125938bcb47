"""Products and pictures on the CPU."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from kernels.bench.measure.point import build
from kernels.bench.plan import Plan, all_entries
from kernels.bench.sample import Point
from kernels.catalog import catalog, find_kernel
from kernels.cpu.loops import LoopRun, TimedRun, row_cuts
from kernels.cpu.matmul import CpuRun, _rows, blas_threads
from kernels.errors import InputError
from kernels.fill import Fill
from kernels.launch import Dim3
from kernels.tracing import trace_kernel
from kernels.workload import WORKLOADS, Size, verify
from tests.user_folders import USER_FOLDERS

MATMUL = WORKLOADS["matmul"]
RANDOM = Fill("random", (1,))


@pytest.mark.parametrize("baseline", [k.id for k in catalog() if k.runs_on == "cpu" and not k.flaw])
@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize("size", [Size(1, 1, 1), Size(3, 3, 3), Size(5, 64, 33), Size(64, 5, 1)], ids=str)
def test_every_baseline_is_right_for_every_shape_and_number_of_threads(baseline: str, threads: int, size: Size) -> None:
    kernel = find_kernel(baseline)
    if kernel.workload == MATMUL:
        run: TimedRun = CpuRun(baseline, inputs := MATMUL.inputs(size, RANDOM), threads)
    else:
        run = LoopRun(kernel, size, inputs := kernel.workload.inputs(size, RANDOM), threads)
    with run:
        verdict = verify(kernel.workload, size, inputs, run.outputs())
    assert verdict.correct, verdict.message


def test_the_published_inputs_that_hide_a_wrong_index_give_the_published_rows() -> None:
    inputs = MATMUL.inputs(Size(4, 4, 4), Fill("rows"))
    with CpuRun("cpu_sequential", inputs, 1) as run:
        assert run.outputs()["C"].tolist() == [[row] * 4 for row in (0, 6, 12, 18)]


def test_parallel_and_sequential_agree_bit_for_bit() -> None:
    inputs = MATMUL.inputs(Size(17, 19, 150), RANDOM)
    with CpuRun("cpu_sequential", inputs, 1) as one, CpuRun("cpu_parallel", inputs, 4) as four:
        np.testing.assert_array_equal(one.outputs()["C"], four.outputs()["C"])


def test_a_short_product_is_repeated_within_a_sample() -> None:
    inputs = MATMUL.inputs(Size(2, 2, 2), RANDOM)
    with CpuRun("cpu_sequential", inputs, 1) as run:
        assert run.sample_ms()["kernel"] > 0
        assert run.launches_per_sample > 1


def test_blas_is_refused_a_number_of_threads_that_it_would_not_use() -> None:
    inputs = MATMUL.inputs(Size(4, 4, 4), RANDOM)
    most = blas_threads(100_000)
    if most == 100_000:
        pytest.skip("this BLAS takes any number")
    with pytest.raises(InputError, match="omit --threads" if not most else f"uses at most {most}"):
        CpuRun("cpu_blas", inputs, 100_000)


def test_the_number_of_threads_of_a_label_is_what_blas_uses() -> None:
    (entry,) = all_entries(find_kernel("cpu_blas"))
    assert entry.threads == blas_threads(entry.threads)
    inputs = MATMUL.inputs(Size(4, 4, 4), RANDOM)
    with CpuRun("cpu_blas", inputs, entry.threads) as run:
        counts = {lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas"}
        assert counts <= {entry.threads}
        assert run.outputs()["C"].shape == (4, 4)


def test_the_label_names_no_threads_if_blas_chooses_them(monkeypatch: pytest.MonkeyPatch) -> None:
    blas_threads.cache_clear()
    monkeypatch.setattr("threadpoolctl.threadpool_info", list)  # as on macOS, where NumPy uses Accelerate
    try:
        (entry,) = all_entries(find_kernel("cpu_blas"))
        assert (entry.threads, entry.label) == (0, "cpu_blas")
        inputs = MATMUL.inputs(Size(4, 4, 4), RANDOM)
        point = Point(entry, Size(4, 4, 4))
        with build(find_kernel("cpu_blas"), point, Plan((point,)), inputs) as run:
            assert run.outputs()["C"].shape == (4, 4)
        with pytest.raises(InputError, match="omit --threads"):
            CpuRun("cpu_blas", inputs, 2)
    finally:
        blas_threads.cache_clear()


def test_compiled_loops_lie_in_the_users_cache_and_not_beside_the_source(tmp_path: Path) -> None:
    """Beside the source they would outlive an uninstallation, and leave a folder `kernels` that can be imported."""
    environment = {**os.environ, **dict.fromkeys(("XDG_CACHE_HOME", *USER_FOLDERS), str(tmp_path))}
    environment.pop("NUMBA_CACHE_DIR", None)
    code = (
        "from kernels.cpu.loops import compile_loop\n"
        "from kernels.workload.kmeans_loops import assign\n"
        "print(compile_loop(assign)._cache.cache_path)"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, encoding="utf-8", check=True
    )
    assert Path(found.stdout.strip()).is_relative_to(tmp_path)


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
