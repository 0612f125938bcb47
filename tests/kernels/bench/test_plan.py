from __future__ import annotations

import json
from dataclasses import replace

import pytest

from kernels.bench.plan import Plan, entries, points, remaining
from kernels.bench.sample import Entry, Point
from kernels.catalog import find_kernel
from kernels.errors import InputError
from kernels.fill import Fills
from kernels.launch import Dim3
from kernels.workload import Size

ENTRIES = (Entry("matmul_tiled", Dim3(16, 16)), Entry("cpu_parallel", threads=4), Entry("cublas_sgemm"))
SIZES = (Size(2, 2, 2), Size(3, 4, 5))


def test_points_go_by_size_first_and_each_is_there_once() -> None:
    found = points((*ENTRIES, ENTRIES[0]), (*SIZES, SIZES[0]))
    assert found == tuple(Point(entry, size) for size in SIZES for entry in ENTRIES)


def test_a_plan_survives_json() -> None:
    plan = Plan(points(ENTRIES, SIZES), 0.5, 3, 7.0, Fills.parse("A=mod(3);B=mod(4)"), fmad=False)
    assert Plan.from_json(json.loads(json.dumps(plan.to_json()))) == plan


@pytest.mark.parametrize("data", [{}, {"points": 3}, [], {"points": [{"kernel": "a"}]}])
def test_what_is_not_a_plan_is_refused(data: object) -> None:
    with pytest.raises(InputError, match="not a plan"):
        Plan.from_json(data)  # type: ignore[arg-type]


@pytest.mark.parametrize("changes", [{"budget_s": 0.0}, {"time_limit_s": float("nan")}, {"min_samples": 0}])
def test_a_plan_without_time_is_refused(changes: dict[str, float]) -> None:
    with pytest.raises(InputError, match="give a"):
        replace(Plan(()), **changes)  # type: ignore[arg-type]


def test_what_remains_keeps_order_and_settings() -> None:
    plan = Plan(points(ENTRIES, SIZES), budget_s=0.25)
    left = remaining(plan, {plan.points[1], plan.points[3]})
    assert left == replace(plan, points=tuple(plan.points[i] for i in (0, 2, 4, 5)))


def test_a_kernel_brings_the_blocks_that_it_declares() -> None:
    kernel = find_kernel("matmul_tiled")
    assert [entry.block for entry in entries(kernel)] == list(kernel.blocks)
    assert entries(kernel, [Dim3(4, 4)], [9]) == (Entry("matmul_tiled", Dim3(4, 4)),)


@pytest.mark.parametrize(
    ("kernel", "labels"),
    [
        ("cpu_parallel", ["cpu_parallel 1 thread", "cpu_parallel 8 threads"]),
        ("cpu_sequential", ["cpu_sequential"]),
        ("cublas_sgemm", ["cublas_sgemm"]),
        ("matmul_naive", ["matmul_naive 2×3"]),
    ],
)
def test_labels_name_what_was_chosen(kernel: str, labels: list[str]) -> None:
    assert [entry.label for entry in entries(find_kernel(kernel), [Dim3(2, 3)], [1, 8])] == labels


def test_a_kernel_without_arithmetic_has_no_rate() -> None:
    with pytest.raises(InputError, match=r"hello_grid does no arithmetic.*matmul_tiled"):
        entries(find_kernel("hello_grid"))
