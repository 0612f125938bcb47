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
from tests.kernels.simt.advice.racy_kernels import RACY, Racy
from tests.sweeps import in_turn

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SCHEDULES = ("lockstep", "warps", "reversed", "shuffle:7")
RACY_CASES = [case for case in cases() if case.advised and any(h.kind == "data-race" for h in case.hazards)]

Report = dict[str, Any]
Signature = tuple[Any, ...]

MENDED_BY_HAND = {
    "argmax_last_writer_wins": (  # which of several positions is wanted is not in the source
        "where = t;",
        "atomicMin(&where, t);",
        "if (in[t] == best)",
        "if (t == 0) where = 64; __syncthreads(); if (in[t] == best)",
    ),
    "strided_loop": (  # a new loop variable, the same for all threads
        "for (int i = t; i < n; i += 64) {",
        "for (int base = 0; base < n; base += 64) { int i = base + t;",
        "s[t] = in[i];",
        "if (i < n) s[t] = in[i]; __syncthreads();",
        "out[i] = s[t ^ 33];",
        "if (i < n && (t ^ 33) < n - base) out[i] = s[t ^ 33]; __syncthreads();",
    ),
    "product": (  # no atomic multiplies: a new loop
        "*product *= in[i];",
        "int old = atomicAdd((int *)product, 0), seen; do { seen = old; "
        "old = atomicCAS((int *)product, seen, __float_as_int(__int_as_float(seen) * in[i])); } while (old != seen);",
    ),
    "volatile_flag_no_fence": (  # the data need fences and an atomic flag: two cures at once
        "*ready = 1;",
        "__threadfence(); atomicExch((int *)ready, 1);",
        "while (*ready == 0)",
        "while (atomicAdd((int *)ready, 0) == 0)",
        "out[0] = *value;",
        "__threadfence(); out[0] = *value;",
    ),
}
"""Kernels for which no cure is advised, since none can be applied by a program: what a person would do."""


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
    words = MENDED_BY_HAND[name]
    for old, new in zip(words[::2], words[1::2], strict=True):
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


CURES: dict[str, list[tuple[str, ...]]] = {
    "reverse": [("barrier", "__syncthreads() 5-6")],
    "reverse_in_one_warp": [("barrier", "__syncthreads() 5-6")],
    "reverse_in_half_a_warp": [("barrier", "__syncthreads() 5-6")],
    "neighbours_in_a_warp": [("barrier", "__syncwarp() 5-6")],
    "lanes_by_modulo": [("barrier", "__syncwarp() 6-7")],
    "scan_without_barriers": [("barrier", "__syncthreads() 10-11", "__syncthreads() 11-10 again")],
    "scan_with_one_barrier": [("barrier", "__syncthreads() 8-9")],
    "scan_in_one_statement": [("read-first", "__syncthreads() 9-9 again")],
    "scan_in_a_branch": [("split-branch", "__syncthreads() 9-10")],
    "stencil_steps": [("barrier", "__syncthreads() 14-12 again")],
    "stencil_in_place": [("split-branch", "__syncthreads() 8-9")],
    "stencil_halo": [("barrier", "__syncthreads() 9-10")],
    "matmul_no_barriers": [("barrier", "__syncthreads() 9-11", "__syncthreads() 12-8 again")],
    "matmul_no_second_barrier": [("barrier", "__syncthreads() 12-8 again")],
    "matmul_no_second_barrier_small": [("barrier", "__syncthreads() 12-8 again")],
    "matmul_no_first_barrier_small": [("barrier", "__syncthreads() 9-11")],
    "tree_no_barrier_in_loop": [("barrier", "__syncthreads() 10-9 again")],
    "tree_no_barriers": [("barrier", "__syncthreads() 5-6"), ("barrier", "__syncthreads() 8-8 again")],
    "tree_in_a_small_block": [("barrier", "__syncthreads() 9-9 again")],
    "tree_barrier_in_branch_missing": [("barrier", "__syncthreads() 10-11")],
    "last_steps_of_a_warp": [("barrier", "__syncwarp() 11-12")],
    "histogram_shared": [("atomic-update", "atomicAdd(&mine[in[t]], 1)")],
    "histogram_read_too_early": [("barrier", "__syncthreads() 8-9")],
    "histogram_not_cleared": [("barrier", "__syncthreads() 7-8")],
    "guarded": [("split-branch", "__syncthreads() 6-7")],
    "returned_early": [("split-return", "__syncthreads() 7-8")],
    "two_sides_of_a_branch": [("split-else", "__syncthreads() 7-7")],
    "broadcast_in_a_loop": [("barrier", "__syncthreads() 9-7 again")],
    "double_buffer_one_barrier_too_few": [
        ("barrier", "__syncthreads() 5-6"),
        ("barrier", "__syncthreads() 9-8 again"),
    ],
    "pointers_exchanged": [("barrier", "__syncthreads() 12-9 again")],
    "carved_floats_and_ints": [("carving", "((int *)(raw + 128)) + 32")],
    "carved_off_by_one": [("carving", "(a + blockDim.x - 1) + 1")],
    "flag_no_fence": [("fence", "__threadfence() 7-8")],
    "flag_volatile": [("atomic", "atomicExch((int *)ready, 1)", "atomicAdd((int *)ready, 0)")],
    "last_block_no_fence": [("fence", "__threadfence() 15-17")],
    "last_block_block_fence": [("scope", "__threadfence")],
    "sum_of_blocks_read_back": [("grid-barrier", "cooperative_groups::this_grid().sync() 5-6")],
    "two_phases_of_blocks": [("grid-barrier", "cooperative_groups::this_grid().sync() 6-7")],
    "dot_product_plain_sum": [("atomic-update", "atomicAdd(sum, a[i] * b[i])")],
    "maximum_by_branch": [("atomic-update", "atomicMax(best, in[i])")],
    "everyone_sets_the_size": [("one-writer",)],
    "function_twice": [("barrier", "__syncthreads() 15-16")],
    "function_in_a_loop": [("barrier", "__syncthreads() 14-3 again")],
    "template": [("barrier", "__syncthreads() 4-5")],
    "steps_of_a_warp": [("read-first",)],
    "one_line": [("barrier", "__syncthreads() 1-1")],
    "appended_plainly": [("atomic-update", "atomicAdd(&count[0], 1)")],
    "update_in_two_statements": [("atomic-update", "mine = atomicAdd(&count[0], 2)")],
    "product": [(), ()],
    "lock_without_fences": [("fence", "__threadfence() 6-7", "__threadfence() 0-6")],
    "every_thread_announced_by_one": [("fence", "__syncthreads(); __threadfence() 6-7")],
    "jacobi_of_blocks": [
        (
            "grid-barrier",
            "cooperative_groups::this_grid().sync() 7-8",
            "cooperative_groups::this_grid().sync() 10-6 again",
        )
    ],
    "strided_loop": [()],
    "blocks_over_rows": [("barrier", "__syncthreads() 8-6 again")],
    "transposed_in_place": [("barrier", "__syncthreads() 4-5")],
    "prime_sieve": [("atomic", "atomicExch(&composite[m], 1)")],
    "bitonic_step_without_barrier": [("barrier", "__syncthreads() 16-11 again")],
    "volatile_sum_of_a_warp": [("read-first",)],
    "breadth_first_queue": [("compare-and-swap", "atomicCAS(&visited[node], 0, 1)")],
    "count_cleared_plainly": [("grid-barrier", "cooperative_groups::this_grid().sync() 5-6")],
    "volatile_flag_no_fence": [("atomic", "atomicExch((int *)ready, 1)", "atomicAdd((int *)ready, 0)"), ()],
    "lock_tested_then_set": [("compare-and-swap", "atomicCAS((int *)lock, 0, 1)", "atomicExch((int *)lock, 0)")],
}
"""By kernel: the cure of each report, as (kind, calls with the lines they go between, the new code); () without one."""


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
    assert sorted(found) == sorted(CURES[racy.name])
