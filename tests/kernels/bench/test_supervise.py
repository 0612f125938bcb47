"""Messages of workers, and the supervision of those that hang, crash or print other lines."""

from __future__ import annotations

import json
import math
import sys

import pytest

from kernels.bench.hosts.supervise import supervise
from kernels.bench.measure.environment import this_environment
from kernels.bench.plan import Plan, points
from kernels.bench.protocol import (
    Begin,
    End,
    EnvironmentMessage,
    Failed,
    Measured,
    Message,
    SlotLost,
    Start,
    message_text,
    parse_message,
    plan_text,
    read_plan,
)
from kernels.bench.sample import Entry, Point, Sample
from kernels.errors import InputError, UnavailableError
from kernels.launch import Dim3
from kernels.verify import Checks
from kernels.workload import Size
from tests.cases import Cases
from tests.kernels.bench.samples import FULL

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


POINT = Point(Entry("matmul_tiled", Dim3(16, 16)), Size(2, 3, 4))
SAMPLE = Sample(POINT, "measured", (1.0, 2.0, 4.0), 3, 48, "every element", "", "2026-01-01T00:00:00", "abc")

MOVED = Point(Entry("matmul_tiled", Dim3(16, 16), memory="managed"), Size(2, 3, 4))
CHECKS = Checks(
    False, "C[0][0] = nan", "every element", 1, math.inf, 2.5, 0.0, 9.0, 1, True, False, {"C": [[math.inf]]}
)


@pytest.mark.parametrize(
    "message",
    [
        Start(3),
        Start(3, "1.2", 7, "a machine", {"matmul_tiled": "0123"}),
        SlotLost("gpubox GPU 1", "did not answer within 120 s"),
        EnvironmentMessage(this_environment()),
        Begin(POINT),
        Measured(SAMPLE),
        Measured(FULL),
        Measured(Sample(MOVED, "measured", (3.0,), 1, 48, parts_ms={"kernel": (2.0,), "to_host": (1.0,)})),
        Measured(Sample(POINT, "wrong", error="C[0][0] = nan", checks=CHECKS)),
        Failed(Sample(POINT, "refused", error="block 64×64 has 4,096 threads")),
        End(),
    ],
    ids=lambda message: type(message).__name__,
)
def test_every_message_is_one_line_and_comes_back(message: Message) -> None:
    line = message_text(message)
    assert "\n" not in line
    assert parse_message(line) == message


def test_a_sample_says_what_other_programs_want_to_know() -> None:
    data = json.loads(message_text(Measured(SAMPLE)))
    assert data["event"] == "sample"
    assert data["kernel"] == "matmul_tiled"
    assert data["size"] == [2, 3, 4]
    assert data["verified"] is True
    assert data["median_ms"] == 2.0
    assert data["gflops"] == pytest.approx(48 / 2.0 / 1e6)


def test_a_sample_of_an_older_version_is_read() -> None:
    data = json.loads(message_text(Measured(SAMPLE)))
    for name in ("cold", "stopped", "captured", "repeat", "duration_s", "baseline", "baseline_ms", "conditions"):
        del data[name]
    assert parse_message(json.dumps(data)) == Measured(SAMPLE)


def test_figures_of_a_sample_have_intervals() -> None:
    data = json.loads(message_text(Measured(FULL)))
    assert data["interval_ms"] == [1.13, 1.26]
    assert data["min_ms"] == 1.0
    assert data["speed_up_verdict"] == "slower"
    assert data["throttled"] is True
    assert data["conditions"]["sm_clock_mhz"] == 1500.0
    assert len(data["marks"]) == 2


@pytest.mark.parametrize("line", ["", "Hello from thread (0, 0)", "3", "[]", '{"level": "warning"}'])
def test_lines_printed_by_a_library_are_skipped(line: str) -> None:
    assert parse_message(line) is None


@pytest.mark.parametrize("line", ['{"event": "dance"}', '{"event": "begin"}', '{"event": "sample", "kernel": 3}'])
def test_a_message_that_cannot_be_understood_is_an_error(line: str) -> None:
    with pytest.raises(InputError):
        parse_message(line)


def test_a_plan_comes_back() -> None:
    plan = Plan((POINT, MOVED), 0.5, task="simulate")
    assert read_plan(plan_text(plan)) == plan


def test_a_plan_of_an_older_version_is_one_to_time_on_the_device() -> None:
    data = json.loads(plan_text(Plan((POINT,), 0.5)))
    del data["task"], data["points"][0]["memory"]
    assert read_plan(json.dumps(data)) == Plan((POINT,), 0.5)


@pytest.mark.parametrize(("place", "word"), [("task", "guess"), ("memory", "attic")])
def test_a_plan_with_an_unknown_word_is_refused(place: str, word: str) -> None:
    data = json.loads(plan_text(Plan((POINT,), 0.5)))
    (data if place in data else data["points"][0])[place] = word
    with pytest.raises(InputError, match="not a plan"):
        read_plan(json.dumps(data))


def test_a_plan_that_is_not_json_is_refused() -> None:
    with pytest.raises(InputError, match="not JSON"):
        read_plan("matmul_tiled")
