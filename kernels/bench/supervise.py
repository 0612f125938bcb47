"""Start workers, read their messages, end one that exceeds its time limit, and continue with the rest of the plan."""

from __future__ import annotations

import os
import queue
import subprocess
import tempfile
import threading
from contextlib import ExitStack, suppress
from time import monotonic
from typing import TYPE_CHECKING, Final, Self, cast

from kernels.bench.progress import Progress
from kernels.bench.protocol import End, EnvironmentMessage, Start, parse_message, plan_text, worker_command
from kernels.child_process import ENVIRONMENT, WORKING_FOLDER, input_text

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence
    from types import TracebackType
    from typing import IO

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


class _Worker:
    """One process. A context manager that kills the process on exit."""

    def __init__(self, command: Sequence[str], plan: Plan) -> None:
        with ExitStack() as opened:
            self._errors = opened.enter_context(tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace"))
            self._process = opened.enter_context(
                subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=self._errors,
                    cwd=WORKING_FOLDER,
                    env={**os.environ, **ENVIRONMENT},
                    encoding="utf-8",
                    errors="replace",
                )
            )
            opened.callback(self._close_input)
            self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
            reader = threading.Thread(target=self._read, daemon=True)
            reader.start()
            opened.callback(reader.join)
            opened.callback(self._process.kill)
            with suppress(OSError):  # it ended before it had read its plan; standard error has the reason
                stdin = cast("IO[str]", self._process.stdin)
                stdin.write(input_text(plan_text(plan)))
                stdin.flush()  # but not closed: the worker ends when its input does
            self._opened = opened.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._opened.close()  # in reverse order: kill the process, then wait for the reader and for the process

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

    def status(self) -> int:
        """Wait for the end of the process and return its exit status."""
        return self._process.wait()

    def words(self) -> str:
        """Return its output on standard error."""
        self._errors.seek(0)
        return self._errors.read()

    def _line(self, until: float) -> str | None:
        while True:
            try:
                return self._lines.get(timeout=_LISTEN_S)
            except queue.Empty:
                if monotonic() > until:
                    raise TimeoutError from None

    def _close_input(self) -> None:
        with suppress(OSError):  # the pipe still holds a plan that was not read
            cast("IO[str]", self._process.stdin).close()

    def _read(self) -> None:
        with suppress(ValueError):  # closed while reading
            for line in cast("IO[str]", self._process.stdout):
                self._lines.put(line)
        self._lines.put(None)
