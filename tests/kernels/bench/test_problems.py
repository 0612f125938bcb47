"""Problems that points share."""

from __future__ import annotations

import weakref
from dataclasses import replace
from typing import TYPE_CHECKING

from kernels.bench.measure.problems import Problems
from kernels.bench.plan import Plan
from kernels.workload import WORKLOADS, Size

if TYPE_CHECKING:
    import pytest

    from kernels.workload import Workload


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
