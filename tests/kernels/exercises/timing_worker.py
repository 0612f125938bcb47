"""A worker process that reports times by hand: what an answer's measurement looks like without a GPU."""

from __future__ import annotations

import sys
from typing import Final

GPU: Final = "NVIDIA Test"

_SCRIPT: Final = """
import os, sys, time
from dataclasses import replace
from kernels.bench.measure.environment import this_environment
from kernels.bench.measure.point import no_result
from kernels.bench.protocol import Begin, End, EnvironmentMessage, Failed, Measured, Start, message_text, read_plan

def tell(message):
    print(message_text(message), flush=True)

def sample(point, **fields):
    fields = {"outcome": "measured", "times_ms": (1.0,) * 30, **fields}
    return Measured(replace(no_result(point, "measured", ""), **fields))

plan = read_plan(sys.stdin.readline())
tell(Start(len(plan.points)))
tell(EnvironmentMessage(replace(this_environment(), gpu="NVIDIA Test")))
for point in plan.points:
    tell(Begin(point))
    if point.entry.kernel == "given":
        tell(sample(point))
    else:
        ANSWER
tell(End())
"""


def worker(answer: str) -> list[str]:
    """Return the command of a worker that verifies the given source; `answer` is what it does at the answer."""
    return [sys.executable, "-c", _SCRIPT.replace("ANSWER", answer)]


def faster(times: float) -> str:
    """Return the code that reports an answer of a speed-up."""
    return f"tell(sample(point, baseline='given', baseline_ms=({times},) * 30))"


WAITS: Final = "time.sleep(600)"
WRONG: Final = "tell(sample(point, outcome='wrong', times_ms=(), error='C[0][0] = 1, should be 2'))"
CRASHES: Final = "os._exit(7)"
