"""A worker process that reports invented times: the messages of the real one, without its imports and loops."""

import sys
from collections.abc import Sequence
from typing import Final

import pytest

from kernels.bench.measure.environment import this_environment
from kernels.bench.protocol import EnvironmentMessage, Start, message_text

_SCRIPT: Final = """
import json, sys, time
plan = json.loads(sys.stdin.readline())
print(sys.argv[1].replace("-1", str(len(plan["points"]))), flush=True)
print(sys.argv[2], flush=True)
started = time.time()
for number, point in enumerate(plan["points"]):
    print(json.dumps({"event": "begin", **point}), flush=True)
    if number >= int(sys.argv[3]):
        time.sleep(600)
    m, n, k = point["size"]
    times = [m * n * k * (1 + started % 1) * (1 + at / 1000) / 1e6 for at in range(30)]
    sample = {"outcome": "measured", "times_ms": times, "launches": 1, "flops": 2 * m * n * k, "stopped": "precision",
              "checked": "every element", "error": "", "taken": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime()),
              "environment": json.loads(sys.argv[2])["id"]}
    print(json.dumps({"event": "sample", **point, **sample}), flush=True)
time.sleep(0.3)  # pages list the runs of the file at the end, and samples are written to it by a thread
print(json.dumps({"event": "end"}), flush=True)
"""


def command(most: int = 1_000) -> Sequence[str]:
    """Return the command of a worker that reports times of so many points, and measures the next one for ever."""
    start, environment = Start(-1), EnvironmentMessage(this_environment())
    return [sys.executable, "-I", "-S", "-c", _SCRIPT, message_text(start), message_text(environment), str(most)]


@pytest.fixture
def quick_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages that are opened afterwards measure with a quick worker."""
    monkeypatch.setattr("gui.measure.run.plan_run.worker_command", command)


@pytest.fixture
def waiting_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages that are opened afterwards measure one point and begin the next."""
    monkeypatch.setattr("gui.measure.run.plan_run.worker_command", lambda: command(1))
