from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from kernels.bench.plan import Plan, all_entries, entries, points, remaining
from kernels.bench.sample import MEMORIES, Entry, Point
from kernels.catalog import find_kernel
from kernels.errors import InputError
from kernels.fill import Fills
from kernels.launch import Dim3
from kernels.workload import Size
from tests.cases import Cases

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.gpu.memory import Memory

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
