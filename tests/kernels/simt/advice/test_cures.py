"""Cures remove their races: of every racy kernel of the corpus, and of every shape of mistake.

In the plain command the cures of every other kernel are checked, under one schedule, in turn; the exhaustive command
takes all kernels and all schedules.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from kernels.cli import main
from kernels.frontend import parse
from kernels.launch import Dim3, Launch
from kernels.simt import Options, run
from kernels.trace.cures import CureKind, as_plain
from tests.kernels.hazards.corpus import Case, cases
from tests.kernels.hazards.reports import report
from tests.kernels.simt.advice.racy_kernels import MENDED_BY_HAND, RACY, Racy
from tests.sweeps import in_turn

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SCHEDULES = ("lockstep", "warps", "reversed", "shuffle:7")
RACY_CASES = [case for case in cases() if case.advised and any(h.kind == "data-race" for h in case.hazards)]

Report = dict[str, Any]
Signature = tuple[Any, ...]


def mended(text: str, edits: Sequence[Report]) -> str:
    """Apply edits, the last one first, so that those before it keep their places."""
    places = {"line": 0, "column": 0, "end_line": 0, "end_column": 0, "text": ""}
    for edit in sorted(({**places, **e} for e in edits), key=lambda e: (e["line"], e["column"]), reverse=True):
        lines = text.split("\n")
        before = [*lines[: edit["line"] - 1], lines[edit["line"] - 1][: edit["column"] - 1]]
        after = [lines[edit["end_line"] - 1][edit["end_column"] - 1 :], *lines[edit["end_line"] :]]
        text = "\n".join(before) + edit["text"] + "\n".join(after)
    return text


def to_the_letter(text: str, insertions: Sequence[Report]) -> str:
    """Insert calls as whole lines where the sentence says; lines keep their numbers until all is inserted."""
    lines: list[list[str]] = [[line] for line in text.split("\n")]
    for part in insertions:
        after, before, call = part.get("after_line", 0), part.get("before_line", 0), f"{part['call']};"
        if part.get("braces_line"):
            lines[part["braces_line"] - 1][-1] += " {"
            lines[after - 1].append(f"{call} }}")
        elif after:
            lines[after - 1].append(call)
        else:
            lines[before - 1].insert(0, call)
    return "\n".join(line for group in lines for line in group)


def signatures(hazards: Sequence[Report]) -> set[Signature]:
    found = set()
    for hazard in hazards:
        for h in (hazard, *hazard.get("others", ())):
            sides = sorted((a["line"], a["access"] or "") for a in h["accesses"])
            found.add((h["kind"], h["array"], *(() if h["kind"] == "data-race" else (h["line"],)), *sides))
    return found


def kinds_of(hazards: Sequence[Report]) -> set[tuple[str, str]]:
    return {(h["kind"], h["array"]) for h in hazards}


def of_corpus(case: Case, file: Path, schedule: str, cure: Report | None = None) -> list[Report]:
    words = [*case.words, "--schedule", schedule, "--json"]
    if cure and "dynamic_shared_bytes" in cure:
        words += ["--dynamic-shared", str(cure["dynamic_shared_bytes"])]
    result = CliRunner().invoke(main, ["trace", str(file), *words])
    assert result.exit_code in (0, 1), result.stderr
    found: list[Report] = json.loads(result.stdout)["hazards"]
    return found


def of_racy(racy: Racy, source: str, schedule: str = "lockstep", cure: Report | None = None) -> list[Report]:
    shared = max(racy.shared, (cure or {}).get("dynamic_shared_bytes", 0))
    launch = Launch(Dim3(*racy.grid), Dim3(*racy.block), shared)
    trace = run(parse(source, "k.cu"), launch, racy.given(), template=dict(racy.template), options=Options(schedule))
    assert not trace.stopped

    def plain(hazard: Any) -> Report:
        return {
            "kind": hazard.kind,
            "array": hazard.array,
            "line": hazard.line,
            "message": hazard.message,
            "accesses": [{"line": a.line, "access": a.access} for a in hazard.accesses],
            "others": [plain(other) for other in hazard.others],
            **({} if hazard.cure is None else {"cure": as_plain(hazard.cure)}),
        }

    return [plain(hazard) for hazard in trace.hazards]


def races(hazards: Sequence[Report]) -> list[Report]:
    return [hazard for hazard in hazards if hazard["kind"] == "data-race"]


@pytest.mark.parametrize(
    ("case", "schedule"),
    in_turn(RACY_CASES, SCHEDULES, lambda case: case.name, plain=lambda case: case in RACY_CASES[::2]),
)
def test_a_cure_removes_its_race_and_adds_no_hazard(case: Case, schedule: str, tmp_path: Path) -> None:
    text = case.file.read_text(encoding="utf-8")
    edited = tmp_path / case.file.name
    before = report(case, "lockstep")["hazards"]
    assert races(before)
    for hazard in races(before):
        edits = hazard.get("cure", {}).get("edits")
        if edits is None:
            assert case.name in MENDED_BY_HAND
            continue
        edited.write_text(mended(text, edits), encoding="utf-8")
        after = signatures(of_corpus(case, edited, schedule, hazard["cure"]))
        assert not after & signatures([hazard])
        assert after <= signatures(report(case, schedule)["hazards"])


@pytest.mark.parametrize(("racy", "schedule"), in_turn(RACY, SCHEDULES, lambda racy: racy.name))
def test_a_cure_of_a_shape_removes_its_race_and_adds_no_hazard(racy: Racy, schedule: str) -> None:
    before = of_racy(racy, racy.source)
    assert races(before)
    for hazard in races(before):
        edits = hazard.get("cure", {}).get("edits")
        if edits is None:
            assert racy.name in MENDED_BY_HAND
            continue
        source = mended(racy.source, edits)
        after = signatures(of_racy(racy, source, schedule, hazard["cure"]))
        assert not after & signatures([hazard])
        assert after <= signatures(of_racy(racy, racy.source, schedule))


def test_there_are_enough_kernels_and_few_are_mended_by_hand() -> None:
    names = [*(case.name for case in RACY_CASES), *(racy.name for racy in RACY)]
    assert len(names) == len(set(names)) >= 47
    assert set(MENDED_BY_HAND) <= set(names)
    assert len(MENDED_BY_HAND) <= 5


@pytest.mark.parametrize(("name", "schedule"), in_turn(MENDED_BY_HAND, SCHEDULES, str))
def test_a_person_can_remove_a_race_without_advice(name: str, schedule: str, tmp_path: Path) -> None:
    case = next((case for case in RACY_CASES if case.name == name), None)
    racy = next((racy for racy in RACY if racy.name == name), None)
    text = case.file.read_text(encoding="utf-8") if case else racy.source if racy else ""
    for old, new in MENDED_BY_HAND[name]:
        assert text.count(old) == 1
        text = text.replace(old, new)
    edited = tmp_path / f"{name}.cu"
    edited.write_text(text, encoding="utf-8")
    after = of_corpus(case, edited, schedule) if case else of_racy(racy, text, schedule) if racy else [{}]
    assert [h["kind"] for h in after if h["kind"] != "result-never-written"] == []


LETTERS = (CureKind.BARRIER, CureKind.FENCE, CureKind.COPY_WAIT, CureKind.GRID_BARRIER)


def test_lines_in_a_sentence_are_where_the_call_goes(tmp_path: Path) -> None:
    """The sentence names lines only; a call in a line of its own, put where they say, removes the race as well."""
    followed = 0
    for case in RACY_CASES:
        before = report(case, "lockstep")["hazards"]
        for hazard in races(before):
            cure = hazard.get("cure")
            if cure is None or cure["kind"] not in LETTERS:
                continue
            edited = tmp_path / f"{case.name}.cu"
            text = to_the_letter(case.file.read_text(encoding="utf-8"), cure["insertions"])
            edited.write_text(text, encoding="utf-8")
            after = of_corpus(case, edited, "lockstep")
            assert not kinds_of(after) - kinds_of(before), case.name
            assert len(races(after)) < len(races(before)), case.name
            for part in cure["insertions"]:
                assert part["call"].replace("; ", " and ") in hazard["message"]
                for line in (part.get("after_line"), part.get("before_line")):
                    assert line is None or f"line {line}" in hazard["message"]
            followed += 1
    assert followed > 30


def in_short(cure: Report) -> tuple[str, ...]:
    insertions = [
        f"{part['call']} {part.get('after_line', 0)}-{part.get('before_line', 0)}"
        + (" again" if "repeats" in part else "")
        for part in cure.get("insertions", ())
        if part.get("after_line") or part.get("before_line")
    ]
    return (cure["kind"], *insertions, *(part["new"] for part in cure.get("replacements", ())))


@pytest.mark.parametrize(("racy", "schedule"), in_turn(RACY, SCHEDULES, lambda racy: racy.name))
def test_the_same_cure_under_every_schedule(racy: Racy, schedule: str) -> None:
    found = [
        in_short(hazard["cure"]) if "cure" in hazard else () for hazard in races(of_racy(racy, racy.source, schedule))
    ]
    assert sorted(found) == sorted(racy.cures)
