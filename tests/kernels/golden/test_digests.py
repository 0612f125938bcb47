"""No trace of the catalogue, report on the hazard corpus or output of `--json` changes unless a change is meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kernels.exercises import exercises
from tests.kernels.golden import digests, reports
from tests.kernels.hazards.corpus import cases

if TYPE_CHECKING:
    from kernels.catalog import Kernel
    from tests.kernels.hazards.corpus import Case

STORED = digests.stored()


@pytest.mark.parametrize("kernel", digests.kernels(), ids=lambda kernel: kernel.id)
def test_traces_of_a_catalogue_kernel(kernel: Kernel) -> None:
    assert digests.differing(digests.of_kernel(kernel), STORED["catalogue"].get(kernel.id, {})) == []


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_report_on_a_kernel_of_the_hazard_corpus(case: Case) -> None:
    assert digests.differing(digests.of_case(case), STORED["hazards"].get(case.name, {})) == []


def test_every_digest_belongs_to_a_kernel() -> None:
    assert set(STORED["catalogue"]) == {kernel.id for kernel in digests.kernels()}
    assert set(STORED["hazards"]) == {case.name for case in cases()}


@pytest.mark.parametrize(
    ("collection", "kernel"),
    [(collection, kernel) for collection, (_, kernels) in reports.OF_KERNELS.items() for kernel in kernels],
)
def test_what_a_command_prints_of_a_kernel(collection: str, kernel: str) -> None:
    assert reports.differing_fields(collection, kernel, reports.OF_KERNELS[collection][0](kernel)) == []


def test_every_digest_of_a_report_belongs_to_one() -> None:
    answers = [name for exercise in exercises() for name in reports.answers(exercise)]
    assert {name: set(rows) for name, rows in reports.STORED.items()} == {
        **{name: set(kernels) for name, (_, kernels) in reports.OF_KERNELS.items()},
        "exercise": set(answers),
    }
