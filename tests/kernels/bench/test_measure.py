"""Points that are measured: checks of their results, the code that was measured, and the float32 peak."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels import CUDA_FOLDER
from kernels.architecture import SM_80, Architecture
from kernels.bench.checking import SIZES, CheckRequest, choose
from kernels.bench.measure.compiled_code import other_code_of_plan, other_code_words
from kernels.bench.measure.point import measure
from kernels.bench.measure.worker import work
from kernels.bench.plan import DEFAULT_FILL, Plan
from kernels.bench.protocol import End, Failed, Measured
from kernels.bench.sample import Entry, Point, Sample
from kernels.catalog import find_kernel
from kernels.cpu.matmul import CpuRun
from kernels.errors import InputError
from kernels.fill import Fills
from kernels.launch import Dim3
from kernels.workload import Arrays, Size

if TYPE_CHECKING:
    from pathlib import Path

SIZE = Size(9, 17, 33)


def _plan(*points: Point) -> Plan:
    return Plan(points, budget_s=0.05, min_samples=3)


@pytest.mark.parametrize(
    "entry",
    [Entry("cpu_sequential"), Entry("cpu_parallel", threads=3), Entry("cpu_blas", threads=1)],
    ids=str,
)
def test_a_point_is_verified_and_timed(entry: Entry) -> None:
    point = Point(entry, SIZE)
    sample = measure(point, _plan(point), "here")
    assert sample.point == point
    assert sample.verified
    assert sample.checked == "every element"
    assert len(sample.times_ms) >= 3
    assert sample.flops == 2 * 9 * 17 * 33
    assert sample.gflops is not None
    assert sample.gflops == pytest.approx(sample.flops / np.median(sample.times_ms) / 1e6)
    assert sample.environment == "here"


def test_a_wrong_result_gets_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    right = CpuRun.outputs

    def one_element_off(self: CpuRun) -> Arrays:
        found = right(self)
        found["C"][2, 3] += 1
        return found

    monkeypatch.setattr(CpuRun, "outputs", one_element_off)
    point = Point(Entry("cpu_sequential"), SIZE)
    sample = measure(point, _plan(point), "")
    assert sample.outcome == "wrong"
    assert "C[2][3]" in sample.error
    assert sample.times_ms == ()
    assert sample.gflops is None


def test_no_threads_are_refused() -> None:
    point = Point(Entry("cpu_parallel"), SIZE)
    with pytest.raises(InputError, match="from 1 up"):
        measure(point, _plan(point), "")


def test_a_square_problem_is_not_quietly_measured_at_another_size() -> None:
    point = Point(Entry("mmt_symmetric"), SIZE)
    with pytest.raises(InputError, match="square"):
        measure(point, _plan(point), "")


def test_a_worker_goes_on_after_a_point_that_is_refused() -> None:
    plan = _plan(
        Point(Entry("cpu_parallel"), SIZE),
        Point(Entry("no_such"), SIZE),
        Point(Entry("cpu_blas", None, 1), SIZE),
    )
    told = list(work(plan))
    samples = [message.sample for message in told if isinstance(message, Measured | Failed)]
    assert [sample.outcome for sample in samples] == ["refused", "refused", "measured"]
    assert "no_such" in samples[1].error
    assert told[-1] == End()


@pytest.mark.parametrize(("percent", "expected"), [("p10_ms", 1.1), ("median_ms", 1.5), ("p90_ms", 1.9)])
def test_percentiles_come_from_the_raw_times(percent: str, expected: float) -> None:
    sample = Sample(Point(Entry("k"), SIZE), "measured", (1.0, 2.0))
    assert getattr(sample, percent) == pytest.approx(expected)


NAIVE, SYMMETRIC, BLAS, LOOPS = (
    find_kernel(name) for name in ("matmul_naive", "mmt_symmetric", "cpu_blas", "cpu_sequential")
)
HUGE = Size(4097, 4097, 4097)


def test_every_size_of_the_list_on_a_gpu_and_what_the_documents_print() -> None:
    work = choose(CheckRequest([NAIVE, SYMMETRIC], blocks=[Dim3(8, 8)]))
    *printed, random = work.plans
    iota, rows = sorted(printed, key=lambda plan: str(plan.fill))
    assert random.fill == DEFAULT_FILL
    naive = [point.size for point in random.points if point.entry.kernel == NAIVE.id]
    assert naive == list(SIZES)
    assert [point.size for point in random.points[len(naive) :]] == [s for s in SIZES if s.m == s.n == s.k]
    assert {(p.entry.kernel, str(p.size), str(iota.fill)) for p in iota.points} == {(SYMMETRIC.id, "7", "iota")}
    assert {(p.entry.kernel, str(p.size), str(rows.fill)) for p in rows.points} == {(NAIVE.id, "4", "rows")}
    assert work.left_out == ()
    assert work.count == sum(len(plan.points) for plan in work.plans)


def test_a_block_of_one_thread_leaves_the_largest_size_out_unless_it_is_named() -> None:
    work = choose(CheckRequest([NAIVE], blocks=[Dim3(1, 1), Dim3(8, 8)]))
    assert [(point.entry.block, point.size) for point in work.left_out] == [(Dim3(1, 1), HUGE)]
    work = choose(CheckRequest([NAIVE], sizes=[HUGE], blocks=[Dim3(1, 1)]))
    assert [point.size for plan in work.plans for point in plan.points] == [HUGE]


def test_loops_on_the_cpu_and_the_simulator_get_small_sizes() -> None:
    work = choose(CheckRequest([NAIVE, LOOPS, BLAS], task="simulate", blocks=[Dim3(8, 8)]))
    largest: dict[str, int] = {}
    for point in work.plans[-1].points:
        largest[point.entry.kernel] = max(
            largest.get(point.entry.kernel, 0), point.size.m * point.size.n * point.size.k
        )
    assert largest[NAIVE.id] <= 2**24
    assert largest[BLAS.id] == 4097**3
    assert largest[LOOPS.id] == 1024**3


def test_named_inputs_and_sizes_are_all_there_is() -> None:
    (plan,) = choose(CheckRequest([NAIVE], fills=Fills.parse("ones"))).plans
    assert str(plan.fill) == "ones"
    (plan,) = choose(CheckRequest([NAIVE], sizes=[Size(3, 3, 3)] * 2, one_block=True)).plans
    assert [(point.entry.block, str(point.size)) for point in plan.points] == [(NAIVE.block, "3")]


def test_a_lesson_is_not_checked() -> None:
    lesson = replace(NAIVE, flaw="It is wrong.")
    work = choose(CheckRequest([lesson]))
    assert (work.plans, work.lessons) == ((), (lesson,))


def test_a_kernel_without_output_runs_at_its_own_size() -> None:
    hello, index = find_kernel("hello_grid"), find_kernel("index_map")
    work = choose(CheckRequest([hello, index], blocks=[Dim3(1, 1)]))
    assert [point.size for point in work.plans[0].points] == [hello.size, *SIZES]


def test_only_sizes_that_the_user_does_not_name_are_bounded_in_time() -> None:
    default = choose(CheckRequest([NAIVE, SYMMETRIC], task="simulate"))
    assert default.budget_s == 60.0
    assert max(plan.time_limit_s for plan in default.plans) == 20.0
    products = [point.size.m * point.size.n * point.size.k for point in default.plans[-1].points]
    assert products == sorted(products)
    named = choose(CheckRequest([NAIVE], sizes=[HUGE], task="simulate"))
    assert (named.budget_s, named.plans[0].time_limit_s) == (None, 120.0)
    assert choose(CheckRequest([NAIVE])).budget_s is None


LARGE = Size(4096, 4096, 4096)


def point(kernel: str, block: Dim3 | None = None, launch: str = "") -> Point:
    return Point(Entry(kernel, block, launch=launch), LARGE)


@pytest.mark.parametrize("kernel", ["matmul_3xtf32", "mmt_3xtf32", "matmul_fast", "mmt_fast"])
def test_a_block_of_the_kernels_own_table_is_that_of_the_gpu(kernel: str) -> None:
    assert "sm_90a compiles other lines than sm_80 (" in other_code_words(point(kernel), "sm_90")
    assert other_code_words(point(kernel), "sm_80") == ""


def test_a_kernel_with_one_code_a_library_and_an_unknown_file_have_no_words() -> None:
    points = [point("matmul_naive", Dim3(16, 16)), point("cublas_sgemm"), point("cpu_blas"), point("gone.cu")]
    assert [other_code_words(each, "sm_90") for each in points] == [""] * 4
    assert other_code_of_plan(points, "sm_90", SM_80) == ""


def test_a_file_of_the_user_is_compared_too(tmp_path: Path) -> None:
    file = tmp_path / "mine.cu"
    text = (CUDA_FOLDER / "matmul_naive.cu").read_text(encoding="utf-8")
    file.write_text(f"#if __CUDA_ARCH__ == 900\n__device__ int newer;\n#endif\n{text}", encoding="utf-8")
    assert "sm_90a compiles other lines than sm_80 (2):" in other_code_words(point(str(file), Dim3(16, 16)), "sm_90")


def test_a_plan_names_its_curves() -> None:
    points = [point(kernel) for kernel in ("matmul_3xtf32", "mmt_3xtf32", "matmul_fast", "matmul_naive")]
    assert other_code_of_plan(points, "sm_90", Architecture.parse("sm_90a")) == ""
    words = other_code_of_plan(points, "sm_90", SM_80)
    assert words == (
        "Explore shows the code for sm_80; sm_90a compiles other lines of matmul_3xtf32, mmt_3xtf32 and 1 more."
    )
