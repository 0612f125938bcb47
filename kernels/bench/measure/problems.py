"""Inputs and correct results of a problem, prepared once for points of it that follow one another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernels.workload import correct_results

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kernels.bench.plan import Plan
    from kernels.reference import Reference
    from kernels.workload import Arrays, Size, Workload


@dataclass(frozen=True, slots=True)
class Problem:
    """Inputs, and the correct results of the rows that are compared."""

    inputs: Arrays
    references: Mapping[str, Reference]


class Problems:
    """The latest problem. It is freed before the next one is prepared: two may not fit in memory."""

    def __init__(self) -> None:
        self._key: object = None
        self._latest: Problem | None = None

    def of(self, workload: Workload, size: Size, plan: Plan) -> Problem:
        """Return the problem of a size with a plan's fills; raises what `Workload.inputs` raises."""
        key = workload.id, size, plan.fill, plan.every_element
        if self._latest is None or key != self._key:
            self._key, self._latest = key, None
            inputs = workload.inputs(size, plan.fill)
            self._latest = Problem(inputs, correct_results(workload, size, inputs, every_element=plan.every_element))
        return self._latest
