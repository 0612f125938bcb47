"""Plans: sizes, problems that points share, the predicted time and the time left."""

from __future__ import annotations

import json
import weakref
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from kernels.bench.plan import Plan, all_entries, entries, points, remaining
from kernels.bench.prediction import START_S, Predictor, predict
from kernels.bench.problems import Problems
from kernels.bench.sample import MEMORIES, Entry, Point, Sample
from kernels.bench.sizes import SizeRule, coarse_to_fine, sizes_of
from kernels.bench.time_left import TimeLeft
from kernels.catalog import find_kernel
from kernels.errors import InputError
from kernels.fill import Fills
from kernels.launch import Dim3
from kernels.workload import WORKLOADS, Size
from tests.cases import Cases

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.gpu.memory import Memory
    from kernels.workload import Workload

CASES = Cases(__file__)

ENTRIES = (Entry("matmul_tiled", Dim3(16, 16)), Entry("cpu_parallel", threads=4), Entry("cublas_sgemm"))
SIZES = (Size(2, 2, 2), Size(3, 4, 5))


def test_points_go_by_size_first_and_each_is_there_once() -> None:
    found = points((*ENTRIES, ENTRIES[0]), (*SIZES, SIZES[0]))
    assert found == tuple(Point(entry, size) for size in SIZES for entry in ENTRIES)


def test_a_plan_survives_json() -> None:
    plan = Plan(points(ENTRIES, SIZES), 0.5, 3, 7.0, Fills.parse("A=mod(3);B=mod(4)"), fmad=False)
    plan = replace(plan, every_element=True, total_s=90.0)
    assert Plan.from_json(json.loads(json.dumps(plan.to_json()))) == plan


@pytest.mark.parametrize("data", [{}, {"points": 3}, [], {"points": [{"kernel": "a"}]}])
def test_invalid_plans_are_refused(data: object) -> None:
    with pytest.raises(InputError, match="not a plan"):
        Plan.from_json(data)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"budget_s": 0.0}, "give a"),
        ({"time_limit_s": float("nan")}, "give a"),
        ({"total_s": 0.0}, "time limit of the plan is 0 s: give a"),
        ({"min_samples": 0}, "must be a whole number from 1 up"),
    ],
)
def test_a_plan_without_time_is_refused(changes: dict[str, float], words: str) -> None:
    with pytest.raises(InputError, match=words):
        replace(Plan(()), **changes)  # type: ignore[arg-type]


def test_the_remaining_plan_keeps_order_and_settings() -> None:
    plan = Plan(points(ENTRIES, SIZES), budget_s=0.25)
    left = remaining(plan, {plan.points[1], plan.points[3]})
    assert left == replace(plan, points=tuple(plan.points[i] for i in (0, 2, 4, 5)))


def test_a_kernel_brings_the_blocks_that_it_declares() -> None:
    kernel = find_kernel("matmul_tiled")
    assert [entry.block for entry in entries(kernel)] == list(kernel.blocks)
    assert entries(kernel, [Dim3(4, 4)], [9]) == (Entry("matmul_tiled", Dim3(4, 4)),)


@pytest.mark.parametrize(("kernel", "labels"), CASES("labels_name_what_was_chosen"))
def test_labels_name_what_was_chosen(kernel: str, labels: list[str]) -> None:
    assert [entry.label for entry in entries(find_kernel(kernel), [Dim3(2, 3)], [1, 8])] == labels


def test_a_kernel_without_arithmetic_has_no_rate() -> None:
    with pytest.raises(InputError, match=r"hello_grid does no arithmetic.*matmul_tiled"):
        entries(find_kernel("hello_grid"))


def test_a_lesson_is_not_measured() -> None:
    lesson = replace(find_kernel("matmul_tiled"), flaw="The last tile is lost.")
    with pytest.raises(InputError, match=r"is a lesson: it is wrong on purpose: The last tile is lost\."):
        entries(lesson)
    assert [entry.block for entry in all_entries(lesson)] == list(lesson.blocks)


@pytest.mark.parametrize(("kernel", "memories", "labels"), CASES("labels_say_where_the_arrays_live"))
def test_labels_say_where_the_arrays_live(kernel: str, memories: list[Memory], labels: list[str]) -> None:
    found = entries(find_kernel(kernel), [Dim3(2, 3)], memories=memories)
    assert [entry.label for entry in found] == labels


def test_a_kernel_of_managed_memory_stays_there() -> None:
    kernel = replace(find_kernel("matmul_naive"), memory="managed")
    assert {entry.memory for memory in MEMORIES for entry in entries(kernel, memories=[memory])} == {"managed"}


def test_a_file_of_ones_own_is_found_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = find_kernel("matmul_naive").text
    (tmp_path / "mine.cu").write_text(source, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    (entry,) = entries(find_kernel("mine.cu"), [Dim3(2, 3)])
    assert entry.kernel == str((tmp_path / "mine.cu").resolve())
    assert entry.label == "mine 2×3"
    assert find_kernel(entry.kernel).text == source


@pytest.mark.parametrize(("rule", "first", "last", "numbers"), CASES("numbers_of_a_rule"))
def test_numbers_of_a_rule(rule: SizeRule, first: int, last: int, numbers: list[int]) -> None:
    assert sizes_of(rule, first, last, 100) == tuple(Size(n, n, n) for n in numbers)


@pytest.mark.parametrize("count", [*range(12), 31, 32, 33, 200])
def test_an_order_has_every_size_once_and_spans_the_range_early(count: int) -> None:
    sizes = sizes_of("steps", 1, count)
    order = coarse_to_fine([*sizes, *sizes])
    assert sorted(size.n for size in order) == list(range(1, count + 1))
    if count > 5:
        early = sorted(size.n for size in order[: 2 + count // 4])
        assert (early[0], early[-1]) == (1, count)
        assert max(b - a for a, b in pairwise(early)) <= count / 2 + 1


def test_nine_sizes_start_with_ends_middle_and_quarters() -> None:
    assert [size.n for size in coarse_to_fine(sizes_of("steps", 1, 9))] == [1, 9, 5, 3, 7, 2, 4, 6, 8]


def test_a_few_sizes_keep_their_order() -> None:
    sizes = sizes_of("doubling", 64, 1024)
    assert coarse_to_fine(sizes) == sizes


SEQUENTIAL = Entry("cpu_sequential")


def _point(n: int) -> Point:
    return Point(SEQUENTIAL, Size(n, n, n))


def _sample(n: int, time_ms: float, duration_s: float = 0.0) -> Sample:
    return Sample(_point(n), "measured", (time_ms,), 1, 2 * n**3, duration_s=duration_s)


def test_a_point_that_was_measured_takes_as_long_again() -> None:
    plan = Plan((_point(64), _point(128)))
    found = predict(plan, [_sample(64, 0.1, 9.0), _sample(64, 0.1, 2.0), _sample(128, 1.0, 3.0)])
    assert found.seconds == pytest.approx(START_S + 5.0)
    assert (found.known_points, found.point_count) == (2, 2)


def test_another_size_is_scaled_by_its_operations() -> None:
    plan = Plan((_point(1024),), budget_s=0.1, time_limit_s=1e6)
    slow, fast = (predict(plan, [_sample(512, time_ms)]).seconds for time_ms in (8000.0, 1000.0))
    assert slow - fast == pytest.approx(8 * 2 * 7.0)  # the verified launch and a timed one, eight times the operations
    assert predict(plan, [_sample(512, 8000.0)]).known_points == 0


def test_without_samples_more_operations_take_longer() -> None:
    small, large = (predict(Plan((_point(n),), time_limit_s=1e6)).seconds for n in (64, 4096))
    assert START_S + 1.0 < small < START_S + 2.0  # the budget of a point
    assert large > 50 * small


def test_limits_bound_the_prediction() -> None:
    plan = Plan(tuple(map(_point, range(4096, 4106))), time_limit_s=3.0)
    assert predict(plan).seconds == pytest.approx(START_S + 30.0)
    assert predict(replace(plan, total_s=10.0)).seconds == pytest.approx(START_S + 10.0)


def test_a_comparison_takes_twice_as_long() -> None:
    plan = Plan((_point(64),), budget_s=2.0)
    compared = replace(plan, baselines=(Entry("cpu_blas", threads=1),))
    assert predict(compared).seconds - predict(plan).seconds == pytest.approx(2.0, abs=0.1)


PLAN = Plan(tuple(Point(Entry("cpu_sequential"), Size(n, n, n)) for n in (64, 2048, 1024, 256)))


def test_a_slow_machine_scales_what_is_left() -> None:
    left, expected = TimeLeft(PLAN), Predictor(PLAN).seconds
    small, large, middle, last = PLAN.points
    assert left.seconds == pytest.approx(START_S + sum(map(expected, PLAN.points)))
    left.add(small, 3 * expected(small))
    assert left.seconds == pytest.approx(3 * sum(map(expected, (large, middle, last))))
    for point in (large, middle, last):
        left.add(point, 3 * expected(point))
    assert left.seconds == pytest.approx(0.0, abs=1e-6)


def test_a_limit_for_all_points_bounds_it() -> None:
    left = TimeLeft(replace(PLAN, total_s=5.0))
    left.add(PLAN.points[0], 2.0)
    assert left.seconds <= 3.0


def test_of_many_points_some_stand_for_all() -> None:
    many = Plan(tuple(Point(Entry("cpu_sequential", threads=k), Size(256, 256, 256)) for k in range(10_000)))
    assert TimeLeft(many).seconds == pytest.approx(START_S + 10_000 * Predictor(many).seconds(many.points[0]))


def test_a_problem_is_prepared_once_and_freed_before_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    problems, plan, size = Problems(), Plan(()), Size(4, 5, 6)
    first = problems.of(WORKLOADS["matmul"], size, plan)
    assert problems.of(WORKLOADS["matmul"], size, plan) is first
    held, alive = weakref.ref(first.inputs["A"]), []
    right = type(WORKLOADS["matmul"]).inputs

    def inputs(self: Workload, *wanted: object) -> object:
        alive.append(held() is not None)
        return right(self, *wanted)  # type: ignore[arg-type]

    monkeypatch.setattr(type(WORKLOADS["matmul"]), "inputs", inputs)
    del first
    other = problems.of(WORKLOADS["matmul"], Size(4, 5, 7), plan)
    assert alive == [False]
    assert other.inputs["A"].shape == (4, 7)
    assert problems.of(WORKLOADS["matmul"], Size(4, 5, 7), replace(plan, every_element=True)) is not other
