"""Every kernel of the corpus, under every kind of schedule: exactly its hazards, no miss and no false alarm."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from kernels.cli import main
from tests.kernels.hazards.corpus import FOLDER, TOOLS, Case, Finding, cases, read_case

if TYPE_CHECKING:
    from collections.abc import Iterable

SCHEDULES = ("lockstep", "warps", "reversed", "shuffle:7")
CASES = cases()
every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


def trace(case: Case, schedule: str) -> dict[str, Any]:
    words = ["trace", str(case.file), *case.words, "--schedule", schedule, "--json"]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == bool(case.hazards), result.stderr or result.stdout
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def findings(hazards: Iterable[dict[str, Any]]) -> set[Finding]:
    """What is reported, the races that are told with another of the same cause among it."""
    return {
        Finding(h["kind"], h["array"], tuple(sorted({a["line"] for a in h["accesses"]} or {h["line"]})))
        for hazard in hazards
        for h in (hazard, *hazard.get("others", ()))
    }


@pytest.mark.parametrize("schedule", SCHEDULES)
@every_case
def test_exactly_its_hazards(case: Case, schedule: str) -> None:
    found = trace(case, schedule)
    assert sorted(findings(found["hazards"])) == sorted(case.hazards)
    messages = " ".join(h["message"] for h in found["hazards"])
    assert all(hazard.message in messages for hazard in case.hazards)
    for name, values in case.first.items():
        assert found["output"][name]["first"] == values


@pytest.mark.parametrize("case", [c for c in CASES if not c.hazards], ids=lambda case: case.name)
def test_a_correct_kernel_gives_the_same_result_in_every_order(case: Case) -> None:
    results = [
        {name: output["sha256"] for name, output in trace(case, schedule)["output"].items()} for schedule in SCHEDULES
    ]
    assert results[1:] == results[:-1]


@pytest.mark.parametrize("case", [c for c in CASES if c.wrong_product], ids=lambda case: case.name)
def test_some_order_of_warps_shows_the_wrong_result(case: Case) -> None:
    right = trace(read_case(FOLDER / f"{case.wrong_product}.cu"), "lockstep")["output"]["C"]["sha256"]
    products = [trace(case, schedule)["output"]["C"]["sha256"] for schedule in SCHEDULES]
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
