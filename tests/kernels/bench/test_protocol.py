from __future__ import annotations

import json
import math

import pytest

from kernels.bench.measure.environment import this_environment
from kernels.bench.plan import Plan
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
from kernels.errors import InputError
from kernels.launch import Dim3
from kernels.verify import Checks
from kernels.workload import Size
from tests.kernels.bench.samples import FULL

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
