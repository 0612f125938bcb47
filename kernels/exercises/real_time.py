"""Time of an answer on a GPU, against that of the given source: the plan of the measurement, and its result.

Both texts are points of one plan. A worker process verifies the result of each, then times the answer in turns with the
given source, so that both run under the same conditions.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from kernels.bench.hosts.supervise import supervise
from kernels.bench.plan import Plan
from kernels.bench.protocol import EnvironmentMessage, Failed, Measured
from kernels.bench.sample import Claim, Entry, Point
from kernels.catalog import FOOTER

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kernels.bench.intervals import Interval
    from kernels.bench.sample import Sample
    from kernels.exercises.model import Exercise, TimeGate

GIVEN: Final = "given"
"""Name of the given source in the plan."""

ANSWER: Final = "answer"

Outcome = Claim | Literal["wrong", "failed"]
"""Claim: what the interval of the speed-up says. wrong: the answer has wrong results on the GPU, so it was not timed.
failed: one of the two was not measured."""


@dataclass(frozen=True, slots=True)
class TimeResult:
    """Speed-up of an answer over the given source."""

    exercise: Exercise
    gate: TimeGate
    outcome: Outcome
    gpu: str
    """Its name; "" if no worker has reported it."""
    speed_up: Interval | None = None
    """The ratio of the medians, above 1 where the answer is faster; None for an answer that was not timed."""
    reason: str = ""
    """Why there is no claim, in one line; "" if there is one."""

    @property
    def passed(self) -> bool | None:
        """Return whether the answer is as fast as asked; None if nothing can be claimed."""
        if self.outcome in ("failed", "disturbed"):
            return None
        return self.outcome == "faster" and self.speed_up is not None and self.speed_up.middle >= self.gate.at_least


def time_plan(exercise: Exercise, text: str) -> Plan:
    """Return the plan of the given source and an answer that has passed; the exercise must have a `TimeGate`."""
    assert exercise.time is not None
    case = exercise.time.case
    given, answer = Entry(GIVEN, case.block), Entry(ANSWER, case.block)
    return Plan(
        points=(Point(given, case.size), Point(answer, case.size)),
        baselines=(given,),
        texts={
            GIVEN: {f"{GIVEN}.cu": _with_launch_rule(exercise, exercise.text)},
            ANSWER: {f"{ANSWER}.cu": _with_launch_rule(exercise, text)},
        },
    )


def read_samples(exercise: Exercise, samples: Iterable[Sample], gpu: str) -> TimeResult:
    """Return the result of a plan of `time_plan`."""
    assert exercise.time is not None
    result = TimeResult(exercise, exercise.time, "failed", gpu)
    by_name = {sample.point.entry.kernel: sample for sample in samples}
    given, answer = by_name.get(GIVEN), by_name.get(ANSWER)
    if given is None or answer is None:
        return replace(result, reason="the measurement has ended early")
    if not given.verified:
        return replace(result, reason=f"the given source: {given.error}")
    if not answer.verified:
        return replace(result, outcome="wrong" if answer.outcome == "wrong" else "failed", reason=answer.error)
    if answer.claim is None:
        return replace(result, reason="there are too few times for a comparison")
    reason = "; ".join(answer.marks) if answer.claim == "disturbed" else ""
    return replace(result, outcome=answer.claim, speed_up=answer.speed_up, reason=reason)


def time_on_gpu(exercise: Exercise, text: str, command: Sequence[str] = ()) -> TimeResult:
    """Measure an answer that has passed, in a worker process; raises UnavailableError where that cannot start.

    `command` is the program of the worker with its arguments, if not the usual one.
    """
    samples, gpu = [], ""
    for message in supervise(time_plan(exercise, text), command):
        match message:
            case EnvironmentMessage(environment):
                gpu = environment.gpu
            case Measured(sample) | Failed(sample):
                samples.append(sample)
    return read_samples(exercise, samples, gpu)


def _with_launch_rule(exercise: Exercise, text: str) -> str:
    """Append the launch rule by which the answer was judged: the last comment of a source counts."""
    own = _comment(text) if exercise.answer_sets else {}
    fields = {name: value for name, value in _comment(exercise.text).items() if name not in exercise.answer_sets}
    fields |= {name: own[name] for name in exercise.answer_sets if name in own}
    fields["entry"] = exercise.kernel.entry
    lines = (f"{name} = {_toml(value)}" for name, value in fields.items())
    return "\n".join([text, FOOTER, *lines, "*/\n"])


def _comment(text: str) -> dict[str, Any]:
    return tomllib.loads(text.rpartition(FOOTER)[2].partition("*/")[0])


def _toml(value: object) -> str:
    """Return a value of a launch rule as TOML: that of texts, numbers and lists is JSON."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {_toml(each)}" for name, each in value.items()) + " }"
    return json.dumps(value)
