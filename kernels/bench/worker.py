"""Body of the worker process: measure the plan's points one after another and send messages."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from kernels.bench.environment import this_environment
from kernels.bench.measure import measure, no_result
from kernels.bench.protocol import DEVICE_LOST, Begin, End, EnvironmentMessage, Failed, Measured, Start, message_text
from kernels.errors import NOT_ENOUGH_MEMORY, DeviceError, TilescopeError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

    from kernels.bench.plan import Plan
    from kernels.bench.protocol import Message


def work(plan: Plan) -> Iterator[Message]:
    """Measure every point. Ends early, without `End`, after a failure that broke the CUDA context."""
    yield Start(len(plan.points))
    environment = this_environment()
    yield EnvironmentMessage(environment)
    for point in plan.points:
        yield Begin(point)
        try:
            yield Measured(measure(point, plan, environment.id))
        except DeviceError as error:
            yield Failed(no_result(point, "failed", str(error), environment.id))
            return
        except (TilescopeError, MemoryError) as error:
            words = NOT_ENOUGH_MEMORY if isinstance(error, MemoryError) else str(error)
            yield Failed(no_result(point, "refused", words, environment.id))
    yield End()


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
