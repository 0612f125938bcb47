"""Every kernel of the corpus: exactly its hazards, no miss and no false alarm.

In the plain command each kernel runs under one schedule, in turn; `tests/kernels/golden` compares the whole reports
with stored ones.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from tests.kernels.hazards.corpus import FOLDER, TOOLS, Case, Finding, cases, read_case
from tests.kernels.hazards.reports import report
from tests.sweeps import in_turn

if TYPE_CHECKING:
    from collections.abc import Iterable

SCHEDULES = ("lockstep", "warps", "reversed", "shuffle:7")
OTHERS = SCHEDULES[1:]
CASES = cases()
every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


def findings(hazards: Iterable[dict[str, Any]]) -> set[Finding]:
    """What is reported, the races that are told with another of the same cause among it."""
    return {
        Finding(h["kind"], h["array"], tuple(sorted({a["line"] for a in h["accesses"]} or {h["line"]})))
        for hazard in hazards
        for h in (hazard, *hazard.get("others", ()))
    }


def third(case: Case) -> bool:
    """Whether the plain command compares a case's runs."""
    return case in CASES[::3]


@pytest.mark.parametrize(("case", "schedule"), in_turn(CASES, SCHEDULES, lambda case: case.name))
def test_exactly_its_hazards(case: Case, schedule: str) -> None:
    found = report(case, schedule)
    assert sorted(findings(found["hazards"])) == sorted(case.hazards)
    messages = " ".join(h["message"] for h in found["hazards"])
    assert all(hazard.message in messages for hazard in case.hazards)
    for name, values in case.first.items():
        assert found["output"][name]["first"] == values


@pytest.mark.parametrize(
    ("case", "schedule"), in_turn([c for c in CASES if not c.hazards], OTHERS, lambda case: case.name, plain=third)
)
def test_a_correct_kernel_gives_the_same_result_in_every_order(case: Case, schedule: str) -> None:
    one, two = (
        {name: output["sha256"] for name, output in report(case, order)["output"].items()}
        for order in ("lockstep", schedule)
    )
    assert one == two


@pytest.mark.parametrize(
    ("case", "schedule"),
    in_turn([c for c in CASES if "--max-memory" not in c.words], SCHEDULES, lambda case: case.name, plain=third),
)
def test_a_run_that_is_not_recorded_reports_the_same(case: Case, schedule: str) -> None:
    one, two = report(case, schedule), report(case, schedule, "--no-record")
    for key in ("hazards", "output", "printf", "steps"):
        assert one[key] == two[key]


@pytest.mark.parametrize("case", [c for c in CASES if c.wrong_product], ids=lambda case: case.name)
def test_some_order_of_warps_shows_the_wrong_result(case: Case) -> None:
    right = report(read_case(FOLDER / f"{case.wrong_product}.cu"), "lockstep")["output"]["C"]["sha256"]
    products = [report(case, schedule)["output"]["C"]["sha256"] for schedule in SCHEDULES]
    assert products[0] == right, "in lockstep nobody overtakes anybody"
    assert any(product != right for product in products)


def test_the_corpus_is_balanced() -> None:
    kinds = Counter(hazard.kind for case in CASES for hazard in case.hazards)
    correct = sum(not case.hazards for case in CASES)
    assert len(CASES) >= 50
    assert correct >= 25
    assert len(CASES) - correct >= 25
    assert kinds["data-race"] >= 12
    assert kinds["out-of-bounds"] >= 10


@every_case
def test_a_case_says_why_a_tool_does_not_see_it(case: Case) -> None:
    assert case.seen <= set(TOOLS)
    assert bool(case.unseen) == bool(case.hazards and not case.seen)
