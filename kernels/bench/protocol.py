"""Messages of a worker process: one JSON object a line on its standard output, and a class for each kind.

| event       | fields                        | means                                                |
|-------------|-------------------------------|------------------------------------------------------|
| start       | points, version, protocol,    | the first line: the number of points in the plan,    |
|             | machine, sources              | tilescope's version and `PROTOCOL`, an id of the     |
|             |                               | machine, and the hash of each kernel's source        |
| environment | id, environment               | the environment of all its samples                   |
| begin       | kernel, block, threads,       | the point's time limit starts now                    |
|             | memory, cold, size, id        | `id` is that of `kernels.bench.point_ids`            |
| sample      | those, and the sample's       | verified and timed, or checked, or wrong             |
| failed      | those, and the sample's       | refused, failed or overtime; `error` says why        |
| lost        | slot, error                   | of several slots (`kernels.bench.hosts.fan_out`), one      |
|             |                               | that measures no more; the others take its points    |
| end         |                               | every point has an outcome                           |

A point that is measured again (`kernels.bench.measure.outliers`) has a second `begin` and `sample`, whose `repeat` is
not "".

| field of a sample            | contents                                                                     |
|------------------------------|------------------------------------------------------------------------------|
| outcome, error, checked      | `kernels.bench.sample.Outcome`; the reason for no time; the elements checked |
| times_ms, launches, captured | raw times; launches whose mean is one time; whether they were a CUDA graph   |
| parts_ms                     | parts of the times, where transfers are timed                                |
| median_ms, interval_ms       | median; ends of its 95 % interval, null below 6 times                        |
| min_ms, p10_ms, p90_ms       | shortest time, percentiles                                                   |
| stopped                      | "precision", "time limit", "sample limit"                                    |
| flops, gflops                | operations of one launch; rate at the median                                 |
| percent_of_peak              | of the float32 peak at the measured SM clock, whatever the factors' type     |
| baseline, baseline_ms        | the library routine timed in turns with the point, its times                 |
| speed_up, speed_up_interval, | ratio of the medians, the ends of its 95 % interval,                         |
| speed_up_verdict             | "faster", "slower", "no change", "disturbed"                                 |
| conditions                   | `kernels.bench.measure.conditions.Conditions`: load, clocks, power, temperature      |
| throttled, marks             | whether the clocks were lowered; clauses that say what disturbed the times   |
| repeat                       | "", or of a second measurement: "recovered", "confirmed"                     |
| duration_s                   | seconds of the point, with compilation and verification                      |
| taken, environment           | time, ISO 8601 in UTC; id of the environment                                 |
| checks                       | results of the checks, in a plan that makes them                             |

A worker is started by `worker_command()` and reads its plan as JSON from one line of standard input. Its parent
keeps that pipe open, and the worker ends when it closes (`kernels.child_process`). It exits with status 0 after `end`,
with `DEVICE_LOST` after a failure that broke the CUDA context, with 2 when it cannot use the plan.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

from kernels import __version__
from kernels.bench.measure.conditions import Conditions
from kernels.bench.measure.environment import Environment
from kernels.bench.measure.stopping import STOPS
from kernels.bench.plan import Plan
from kernels.bench.sample import REPEATS, Point, Sample
from kernels.child_process import child_command
from kernels.errors import InputError, TilescopeError
from kernels.files import reason_of
from kernels.verify.model import Checks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from kernels.bench.intervals import Interval

PROTOCOL: Final = 2
"""Version of these messages: one more whenever an older parent or worker would misread them."""

DEVICE_LOST: Final = 3
"""Exit status of a worker whose CUDA context is broken."""


@dataclass(frozen=True, slots=True)
class Start:
    """The worker runs: its first line."""

    points: int
    version: str = __version__
    """Version of tilescope."""
    protocol: int = PROTOCOL
    machine: str = ""
    """Id of the machine since it was started; "" where that is not known."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """Hash of each kernel's source, by name (`kernels.bench.kernel_texts`)."""


@dataclass(frozen=True, slots=True)
class EnvironmentMessage:
    """Environment of all following samples."""

    environment: Environment


@dataclass(frozen=True, slots=True)
class Begin:
    """A point begins."""

    point: Point
    id: str = ""
    """Id of the point (`kernels.bench.point_ids`)."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A point has an outcome: measured, checked or wrong."""

    sample: Sample
    id: str = ""
    """Id of the point."""


@dataclass(frozen=True, slots=True)
class Failed:
    """A point has no result: refused, failed or overtime."""

    sample: Sample
    id: str = ""
    """Id of the point."""


@dataclass(frozen=True, slots=True)
class SlotLost:
    """A slot of several measures no more."""

    slot: str
    """The host, and its GPU if one is named."""
    error: str
    """The reason, a sentence whose subject is the slot."""


@dataclass(frozen=True, slots=True)
class End:
    """Every point has an outcome."""


Message = Start | EnvironmentMessage | Begin | Measured | Failed | SlotLost | End


def worker_command() -> list[str]:
    """Return program and arguments of a worker, which runs the command that users run."""
    return child_command("bench", "--worker", "--plan", "-")


def fan_out_command(hosts: Sequence[str]) -> list[str]:
    """Return program and arguments of a child that measures on hosts and prints the messages of all their workers."""
    return child_command("bench", "--jsonl", "--plan", "-", *(word for name in hosts for word in ("--host", name)))


def plan_text(plan: Plan) -> str:
    """Return a plan as one line of JSON, for the standard input of a worker."""
    return json.dumps(plan.to_json())


def read_plan(text: str) -> Plan:
    """Read a plan from the text of `plan_text`.

    Raises
    ------
    InputError
        When it is not JSON or not a plan.
    """
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"the plan is not JSON: {error}") from error
    except RecursionError as error:
        raise InputError("this is not a plan: its lists and objects are nested too deeply") from error
    except ValueError as error:  # Python converts no more digits, because that takes long
        most = sys.get_int_max_str_digits()
        raise InputError(f"this is not a plan: it has a whole number of more than {most:,} digits") from error
    return Plan.from_json(data)


def read_plan_file(path: Path) -> Plan:
    """Read a plan from a file.

    Raises
    ------
    InputError
        When it cannot be read, or is not a plan.
    """
    try:
        return read_plan(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {reason_of(error)}") from error
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def message_text(message: Message) -> str:
    """Return one line, without its line break."""
    match message:
        case Start():
            data: dict[str, Any] = {"event": "start", **asdict(message)}
        case EnvironmentMessage(environment):
            data = {"event": "environment", "id": environment.id, "environment": environment.to_json()}
        case Begin(point, name):
            data = {"event": "begin", "id": name, **point.to_json()}
        case Measured(sample, name):
            data = {"event": "sample", "id": name, **sample_json(sample)}
        case Failed(sample, name):
            data = {"event": "failed", "id": name, **sample_json(sample)}
        case SlotLost():
            data = {"event": "lost", **asdict(message)}
        case End():
            data = {"event": "end"}
    return json.dumps(data)


def parse_message(line: str) -> Message | None:
    """Read one line; None for a line that is not a message, such as what a library prints.

    Raises
    ------
    InputError
        For a message that this version does not know, or with a field missing.
    """
    try:
        data = json.loads(line)
    except (json.JSONDecodeError, RecursionError):
        return None
    if not isinstance(data, dict) or "event" not in data:
        return None
    try:
        match data["event"]:
            case "start":
                return Start(
                    int(data["points"]),
                    str(data.get("version", "")),
                    int(data.get("protocol", 1)),
                    str(data.get("machine", "")),
                    {str(name): str(text) for name, text in data.get("sources", {}).items()},
                )
            case "environment":
                return EnvironmentMessage(Environment.from_json(data["environment"]))
            case "begin":
                return Begin(Point.from_json(data), str(data.get("id", "")))
            case "sample":
                return Measured(sample_from_json(data), str(data.get("id", "")))
            case "failed":
                return Failed(sample_from_json(data), str(data.get("id", "")))
            case "lost":
                return SlotLost(str(data["slot"]), str(data["error"]))
            case "end":
                return End()
    except (AttributeError, KeyError, TypeError, ValueError, TilescopeError) as error:
        raise InputError(f"a worker's message cannot be read: {line[:200]}") from error
    raise InputError(f"a worker sent the event '{data['event']}', which this version does not know")


def sample_json(sample: Sample) -> dict[str, Any]:
    """Return the fields of the point and the sample, and figures derived from them for other programs."""
    fields = asdict(sample)
    del fields["point"]
    fields["checks"] = sample.checks.to_json() if sample.checks else None
    fields["conditions"] = sample.conditions.to_json() if sample.conditions else None
    derived = {
        "verified": sample.verified,
        "median_ms": sample.median_ms,
        "interval_ms": _ends(sample.interval),
        "min_ms": sample.min_ms,
        "p10_ms": sample.p10_ms,
        "p90_ms": sample.p90_ms,
        "gflops": sample.gflops,
        "percent_of_peak": sample.percent_of_peak,
        "throttled": sample.conditions.throttled if sample.conditions else None,
        "speed_up": sample.speed_up and sample.speed_up.middle,
        "speed_up_interval": _ends(sample.speed_up),
        "speed_up_verdict": sample.claim,
        "marks": list(sample.marks),
    }
    lists = {"times_ms": list(sample.times_ms), "baseline_ms": list(sample.baseline_ms)}
    return {**sample.point.to_json(), **fields, **lists, **derived}


def _ends(interval: Interval | None) -> list[float] | None:
    return [interval.low, interval.high] if interval else None


def sample_from_json(data: dict[str, Any]) -> Sample:
    """Read the object of `sample_json`; derived figures are computed again."""
    return Sample(
        point=Point.from_json(data),
        outcome=data["outcome"],
        times_ms=tuple(float(time) for time in data["times_ms"]),
        launches=int(data["launches"]),
        flops=int(data["flops"]),
        checked=str(data["checked"]),
        error=str(data["error"]),
        taken=str(data["taken"]),
        environment=str(data["environment"]),
        parts_ms={part: tuple(map(float, times)) for part, times in data.get("parts_ms", {}).items()},
        checks=Checks.from_json(data["checks"]) if data.get("checks") else None,
        stopped=STOPS[STOPS.index(data.get("stopped", ""))],
        captured=bool(data.get("captured", False)),
        repeat=REPEATS[REPEATS.index(data.get("repeat", ""))],
        duration_s=float(data.get("duration_s", 0.0)),
        baseline=str(data.get("baseline", "")),
        baseline_ms=tuple(float(time) for time in data.get("baseline_ms", ())),
        conditions=Conditions.from_json(data["conditions"]) if data.get("conditions") else None,
    )
