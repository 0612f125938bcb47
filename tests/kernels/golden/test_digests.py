"""No trace of the catalogue, report on the hazard corpus or output of `--json` changes unless a change is meant.

In the plain command each kernel runs under one schedule, in turn; the exhaustive command runs all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kernels.catalog import find_kernel
from tests.generated import needs_table, skip_missing
from tests.kernels.golden import digests, reports
from tests.kernels.hazards.corpus import cases
from tests.sweeps import in_turn

if TYPE_CHECKING:
    from kernels.catalog import Kernel
    from tests.kernels.hazards.corpus import Case

STORED = digests.stored()


@pytest.mark.parametrize(
    ("kernel", "schedule"), in_turn(digests.kernels(), digests.SCHEDULES, lambda kernel: kernel.id)
)
def test_trace_of_a_catalogue_kernel(kernel: Kernel, schedule: str) -> None:
    stored = STORED["catalogue"].get(digests.row_name(kernel.id, schedule))
    if stored is None:
        skip_missing("digests of traces", kernel.base)
    assert digests.differing(digests.of_kernel(kernel, schedule), stored) == []


@pytest.mark.parametrize(("case", "schedule"), in_turn(cases(), digests.SCHEDULES, lambda case: case.name))
def test_report_on_a_kernel_of_the_hazard_corpus(case: Case, schedule: str) -> None:
    stored = STORED["hazards"].get(digests.row_name(case.name, schedule), {})
    assert digests.differing(digests.of_case(case, schedule), stored) == []


def test_every_digest_belongs_to_a_kernel() -> None:
    names = digests.row_names()
    assert STORED.keys() == names.keys()
    assert set(STORED["catalogue"]) <= set(names["catalogue"])
    assert set(STORED["hazards"]) == set(names["hazards"])


@pytest.mark.parametrize(
    ("collection", "kernel"),
    [(collection, kernel) for collection, (_, kernels) in reports.OF_KERNELS.items() for kernel in kernels],
)
def test_what_a_command_prints_of_a_kernel(collection: str, kernel: str) -> None:
    if collection == reports.OF_TABLES:
        needs_table(find_kernel(kernel))
    if kernel not in reports.STORED[collection]:
        skip_missing(f"digests of {collection}", kernel)
    assert reports.differing_fields(collection, kernel, reports.OF_KERNELS[collection][0](kernel)) == []


def test_every_digest_of_a_report_belongs_to_one() -> None:
    names = reports.row_names()
    assert reports.STORED.keys() == names.keys()
    assert all(set(rows) <= set(names[collection]) for collection, rows in reports.STORED.items())
    assert set(reports.STORED["exercise"]) == set(names["exercise"])
