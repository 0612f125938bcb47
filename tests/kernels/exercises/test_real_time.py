"""The gate on real time: its plan, and what is claimed from its samples."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kernels.bench.measure.conditions import Conditions
from kernels.bench.plan import Plan, baseline_of
from kernels.bench.sample import Sample
from kernels.catalog import kernel_of
from kernels.exercises import find_exercise, judge
from kernels.exercises.real_time import ANSWER, GIVEN, TimeResult, read_samples, time_on_gpu, time_plan
from kernels.exercises.words import time_words
from tests.kernels.exercises.answers import NAMES, TIMED, solution
from tests.kernels.exercises.timing_worker import CRASHES, GPU, WRONG, faster, worker

_MS = (1.0,) * 30

NOT_FASTER = ("whole_warps", "online_softmax")
"""Exercises whose given source is right and takes the time of a right answer, or less. On an H100 the split warps of
the tree by neighbours cost less than the bank conflicts of consecutive threads, which the next exercise removes. On an
H200 the second reading of a row comes from the caches, and the corrections of the sum cost more than it: 0.94 at
8,192 × 1,024, 0.78 at 65,536 × 1,024, and 1.14 only in rows of 16,384."""


@pytest.mark.parametrize("name", NAMES)
def test_an_exercise_is_timed_if_its_given_source_is_right_and_slow(name: str) -> None:
    exercise = find_exercise(name)
    results, hazards = judge(exercise, exercise.text, compiles=False).gates[:2]
    right = results.passed is True and hazards.passed is True
    assert (name in TIMED) == (exercise.time is not None) == (right and name not in NOT_FASTER)


@pytest.mark.parametrize("name", TIMED)
def test_both_texts_have_the_launch_rule_by_which_the_answer_is_judged(name: str) -> None:
    exercise, text = find_exercise(name), solution(name)
    plan = Plan.from_json(time_plan(exercise, text).to_json())  # as the worker reads it
    given, answer = plan.points
    assert baseline_of(given, plan.baselines) is None
    texts = {key: next(iter(files.values())) for key, files in plan.texts.items()}
    kernels = {key: kernel_of(Path("x.cu"), texts[key]) for key in (GIVEN, ANSWER)}
    assert texts[ANSWER].startswith(text)
    for kernel in kernels.values():
        assert kernel.entry == exercise.kernel.entry
        assert kernel.define == exercise.kernel.define
        assert kernel.launch(answer.size, answer.entry.block or kernel.block).thread_count > 2**16
    assert kernels[GIVEN].grid == exercise.kernel.grid
    assert (kernels[ANSWER].grid == exercise.kernel.grid) == (exercise.answer_sets == ())


def test_a_comment_of_the_answer_changes_nothing_but_what_it_may() -> None:
    own = solution("coalesce").replace('workload = "matmul"', 'workload = "mmt"\nroundings = 99')
    kernel = kernel_of(Path("x.cu"), time_plan(find_exercise("coalesce"), own).texts[ANSWER]["answer.cu"])
    assert (kernel.workload.id, kernel.tolerance) == ("matmul", find_exercise("coalesce").kernel.tolerance)
    assert kernel.grid != find_exercise("coalesce").kernel.grid


def _result(**fields: object) -> TimeResult:
    given, answer = (
        Sample(point, "measured", _MS, baseline=GIVEN, baseline_ms=_MS)
        for point in time_plan(find_exercise("coalesce"), "").points
    )
    return read_samples(find_exercise("coalesce"), (given, replace(answer, **fields)), "NVIDIA H200")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fields", "passed", "words"),
    [
        ({"baseline_ms": (1.9,) * 30}, True, "1.9× as fast as the given kernel (at least 1.5×)"),
        ({"baseline_ms": (1.4,) * 30}, False, "1.4× as fast as the given kernel (at least 1.5×)"),
        ({"baseline_ms": (0.5,) * 30}, False, "0.5× as fast as the given kernel"),
        ({}, False, "no measurable difference from the given kernel"),
        ({"baseline_ms": (2.0, 0.9) * 15}, False, "no measurable difference"),  # the interval has 1 in it
        ({"outcome": "wrong", "times_ms": (), "error": "C[0][0] = 1"}, False, "was not timed: C[0][0] = 1"),
        ({"outcome": "unverified", "baseline_ms": (9.0,) * 30, "error": "no reference"}, None, "no reference"),
        ({"outcome": "failed", "times_ms": (), "error": "illegal address"}, None, "not measured: illegal address"),
        ({"outcome": "overtime", "times_ms": (), "error": "took longer than 60 s"}, None, "took longer than 60 s"),
        ({"baseline_ms": ()}, None, "too few times"),
        (
            {"baseline_ms": (9.0,) * 30, "conditions": Conditions(machine_cores=2.0, other_cores=2.0)},
            None,
            "nothing can be claimed, measure again: other processes kept 2.0 of 2 cores busy",
        ),
    ],
)
def test_a_ratio_is_claimed_only_where_it_is_known(fields: dict[str, object], passed: bool | None, words: str) -> None:
    result = _result(**fields)
    assert result.passed is passed
    assert time_words(result).startswith("Time on NVIDIA H200, at 2048×2048×2048 in blocks of 16×16: ")
    assert words in time_words(result)
    assert (result.speed_up is None) or result.outcome in ("faster", "slower", "no change", "disturbed")


def test_without_a_verified_given_source_nothing_is_claimed() -> None:
    given, answer = time_plan(find_exercise("coalesce"), "").points
    broken = Sample(given, "failed", error="no memory")
    fast = Sample(answer, "measured", _MS, baseline=GIVEN, baseline_ms=(9.0,) * 30)
    for samples, reason in (((broken, fast), "the given source: no memory"), ((fast,), "ended early"), ((), "early")):
        result = read_samples(find_exercise("coalesce"), samples, "")
        assert result.passed is None
        assert reason in time_words(result)


@pytest.mark.parametrize(
    ("answer", "outcome", "passed"),
    [(faster(2.0), "faster", True), (faster(0.5), "slower", False), (WRONG, "wrong", False), (CRASHES, "failed", None)],
    ids=["faster", "slower", "wrong", "crash"],
)
def test_a_worker_process_measures_both(answer: str, outcome: str, passed: bool | None) -> None:
    result = time_on_gpu(find_exercise("coalesce"), solution("coalesce"), worker(answer))
    assert (result.outcome, result.passed, result.gpu) == (outcome, passed, GPU)
