"""Supervision of workers that hang, crash or print other lines; each is a real process."""

from __future__ import annotations

import sys

import pytest

from kernels.bench.plan import Plan, points
from kernels.bench.protocol import Begin, End, EnvironmentMessage, Failed, Measured, Start, message_text
from kernels.bench.sample import Entry, Sample
from kernels.bench.supervise import supervise
from kernels.errors import UnavailableError
from kernels.workload import Size
from tests.cases import Cases

CASES = Cases(__file__)

PLAN = Plan(
    points([Entry("cpu_sequential"), Entry("cpu_blas", threads=1)], [Size(3, 3, 3), Size(4, 4, 4)]),
    budget_s=0.02,
    min_samples=2,
)

# A worker that needs no import of ours, so that it starts at once.
BY_HAND = f"""
import json, os, sys, time

def tell(event, **fields):
    print(json.dumps(dict(event=event, **fields)), flush=True)

plan = json.loads(sys.stdin.readline())
print({message_text(Start(len(PLAN.points)))!r}, flush=True)
for point in plan["points"]:
    tell("begin", **point)
    if point["kernel"] == "cpu_blas" and point["size"][0] == 3:
        CULPRIT
    tell("sample", **point, outcome="measured", times_ms=[], launches=1, flops=1, checked="", error="", taken="",
         environment="")
tell("end")
"""


def _by_hand(culprit: str) -> list[str]:
    return [sys.executable, "-S", "-c", BY_HAND.replace("CULPRIT", culprit)]


def _samples(plan: Plan, command: list[str]) -> list[Sample]:
    return [m.sample for m in supervise(plan, command) if isinstance(m, Measured | Failed)]


def test_the_real_worker_measures_the_whole_plan() -> None:
    told = list(supervise(PLAN))
    assert [type(m) for m in told[:3]] == [Start, EnvironmentMessage, Begin]
    samples = [m.sample for m in told if isinstance(m, Measured)]
    # On a busy machine a point may be measured again.
    assert [sample.point for sample in samples if not sample.repeat] == list(PLAN.points)
    assert all(m.sample.verified for m in told if isinstance(m, Measured))
    assert told[-1] == End()


@pytest.mark.parametrize(("culprit", "words"), CASES("a_point_that_ends_its_worker"))
def test_a_point_that_ends_its_worker_is_blamed_and_the_rest_is_measured(culprit: str, words: str) -> None:
    samples = _samples(PLAN, _by_hand(culprit))
    assert [sample.point for sample in samples] == list(PLAN.points)
    assert [sample.outcome for sample in samples] == ["measured", "failed", "measured", "measured"]
    assert words in samples[1].error


def test_a_point_that_never_ends_is_ended() -> None:
    plan = Plan(PLAN.points, time_limit_s=0.5)
    samples = _samples(plan, _by_hand("time.sleep(60)"))
    assert [sample.outcome for sample in samples] == ["measured", "overtime", "measured", "measured"]
    assert "longer than 0.5 s" in samples[1].error


def test_lines_that_are_no_messages_do_not_put_off_the_end() -> None:
    plan = Plan(PLAN.points, time_limit_s=0.5)
    samples = _samples(plan, _by_hand("while True: print('still at work', flush=True)"))
    assert [sample.outcome for sample in samples] == ["measured", "overtime", "measured", "measured"]


def test_a_worker_that_cannot_start_is_not_tried_for_ever() -> None:
    with pytest.raises(UnavailableError, match="status 1: the library is missing"):
        list(supervise(PLAN, [sys.executable, "-c", "raise SystemExit('the library is missing')"]))


def test_closing_ends_the_worker_at_once() -> None:
    messages = supervise(PLAN, _by_hand("time.sleep(60)"))
    for message in messages:
        if isinstance(message, Begin) and message.point == PLAN.points[1]:
            break
    messages.close()  # the fixture that looks for child processes does the rest


def test_an_empty_plan_needs_no_worker() -> None:
    assert list(supervise(Plan(()), ["no such program"])) == [Start(0), End()]
