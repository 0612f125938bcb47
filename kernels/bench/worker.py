"""Body of the worker process: measure the plan's points one after another and send messages."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING

from kernels.bench.environment import this_environment
from kernels.bench.measure import measure, no_result
from kernels.bench.outliers import outliers
from kernels.bench.protocol import DEVICE_LOST, Begin, End, EnvironmentMessage, Failed, Measured, Start, message_text
from kernels.errors import NOT_ENOUGH_MEMORY, DeviceError, InputError, LaunchError, TilescopeError, UnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

    from kernels.bench.plan import Plan
    from kernels.bench.protocol import Message
    from kernels.bench.sample import Point, Sample


def work(plan: Plan) -> Iterator[Message]:
    """Measure every point, then outliers again. Ends early, without `End`, after a broken CUDA context."""
    yield Start(len(plan.points))
    environment = this_environment()
    yield EnvironmentMessage(environment)
    clock = _Clock(plan)
    samples: list[Sample] = []
    for point in plan.points:
        yield Begin(point)
        if clock.used_up:
            words = "the time limit for all points was used up before"
            yield Failed(no_result(point, "skipped", words, environment.id))
            continue
        try:
            samples.append(measure(point, plan, environment.id))
            yield Measured(samples[-1])
        except DeviceError as error:
            yield Failed(no_result(point, "failed", str(error), environment.id))
            return
        except (TilescopeError, MemoryError) as error:
            words = NOT_ENOUGH_MEMORY if isinstance(error, MemoryError) else str(error)
            yield Failed(no_result(point, "refused", words, environment.id))
    try:
        yield from _repeat_outliers(plan, samples, environment.id, clock)
    except DeviceError:
        return  # the point keeps its first sample
    yield End()


def _repeat_outliers(plan: Plan, samples: list[Sample], environment: str, clock: _Clock) -> Iterator[Message]:
    """Measure outliers a second time; the second sample says whether it is one, too.

    A second sample that is faster may show that another point is an outlier. No point is measured a third time.
    """
    repeated: set[Point] = set()
    while not clock.used_up:
        point = next((point for point in outliers(samples) if point not in repeated), None)
        if point is None:
            return
        repeated.add(point)
        yield Begin(point)
        with suppress(InputError, LaunchError, UnavailableError, MemoryError):
            samples.append(measure(point, plan, environment))
            samples[-1] = replace(samples[-1], repeat="confirmed" if point in outliers(samples) else "recovered")
            yield Measured(samples[-1])


class _Clock:
    """Time since the start of a plan."""

    def __init__(self, plan: Plan) -> None:
        self._end_s = None if plan.total_s is None else monotonic() + plan.total_s

    @property
    def used_up(self) -> bool:
        """Return whether the time limit of the plan has been reached."""
        return self._end_s is not None and monotonic() >= self._end_s


def print_work(plan: Plan) -> int:
    """Print the messages, a line each, and return the exit status.

    Only messages reach standard output. Other output, such as a kernel's printf, is redirected to standard error.
    """
    status = DEVICE_LOST
    with _redirected_output() as output:
        for message in work(plan):
            print(message_text(message), file=output, flush=True)
            if isinstance(message, End):
                status = 0
    return status


def _redirected_output() -> TextIO:
    """Return a copy of standard output, and redirect file descriptor 1 to standard error."""
    sys.stdout.flush()
    output = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return os.fdopen(output, "w", encoding="utf-8")
