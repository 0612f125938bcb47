"""Start workers, read their messages, end one that exceeds its time limit, and continue with the rest of the plan."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Final

from kernels.bench.hosts.worker_process import Lines, WorkerProcess
from kernels.bench.progress import Progress
from kernels.bench.protocol import End, EnvironmentMessage, Start, parse_message, plan_text, worker_command

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from kernels.bench.plan import Plan
    from kernels.bench.protocol import Message

_LISTEN_S: Final = 0.2
"""Seconds of one wait for a line: on some systems an interrupt is handled only after it."""


def supervise(plan: Plan, command: Sequence[str] = ()) -> Generator[Message]:
    """Measure a plan in worker processes and yield their messages as one stream.

    A point that exceeds the plan's time limit, or ends its worker, yields `Failed`, and a new worker
    gets the points after it. Closing the iterator, or an interrupt, kills the worker at once.

    Parameters
    ----------
    plan : Plan
        What to measure.
    command : sequence of str
        Program and arguments of a worker; `worker_command()` unless given.

    Raises
    ------
    UnavailableError
        When a worker ends, or exceeds its time limit, before its first point.
    """
    progress = Progress(plan)
    yield Start(len(plan.points))
    while not progress.finished:
        environment = progress.environment
        with _Worker(command or worker_command(), progress.remaining_plan) as worker:
            try:
                for message in worker.messages(progress):
                    repeated = isinstance(message, EnvironmentMessage) and message.environment == environment
                    if not isinstance(message, Start | End) and not repeated:
                        yield message
                failure = progress.worker_ended(worker.status(), worker.words())
            except TimeoutError:
                failure = progress.overtime()
        if failure:
            yield failure
    yield End()


class _Worker(WorkerProcess):
    """A worker whose lines are messages with a time limit."""

    def __init__(self, command: Sequence[str], plan: Plan) -> None:
        self._lines = Lines()
        super().__init__(command, plan_text(plan), self._lines)

    def messages(self, progress: Progress) -> Iterator[Message]:
        """Yield its messages until it ends.

        Raises TimeoutError when none arrives within the limit of `progress`; other lines do not count.
        """
        latest = monotonic()
        while (line := self._line(latest + progress.limit_s)) is not None:
            message = parse_message(line)
            if message:
                latest = monotonic()
                progress.receive(message)
                yield message
            elif monotonic() > latest + progress.limit_s:
                raise TimeoutError

    def _line(self, until: float) -> str | None:
        while True:
            found = self._lines.get(_LISTEN_S)
            if found is not None:
                return found[1]
            if monotonic() > until:
                raise TimeoutError
