"""A worker process: its standard input is a plan and the lines after it, its standard output messages."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Final, Self, cast

from kernels.child_process import ENVIRONMENT, WORKING_FOLDER, input_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType
    from typing import IO

LONGEST_LINE: Final = 1 << 20
"""Maximum number of characters of a line; the output of a process that prints a longer one is not read on."""

_MOST_LINES: Final = 4096
"""Lines that wait; a worker that prints without end waits when its reader does not keep up."""

_PATIENCE_S: Final = 0.1

_LINGER_S: Final = 1.0
"""Seconds from the end of a process's output to its own."""


class Lines:
    """Lines of one or more workers in the order of their arrival."""

    def __init__(self) -> None:
        self._queue: queue.Queue[tuple[WorkerProcess, str | None]] = queue.Queue(_MOST_LINES)

    def get(self, timeout_s: float) -> tuple[WorkerProcess, str | None] | None:
        """Return the next line with its worker, None for the line at the end of its output; None after the timeout."""
        try:
            return self._queue.get(timeout=timeout_s)
        except queue.Empty:
            return None

    def put(self, worker: WorkerProcess, line: str | None) -> None:
        """Add a line; while there are too many, wait, unless the worker is closed."""
        while not worker.closed:
            with suppress(queue.Full):
                self._queue.put((worker, line), timeout=_PATIENCE_S)
                return


class WorkerProcess:
    """One process. A context manager that kills the process on exit.

    Parameters
    ----------
    command : sequence of str
        Program and arguments.
    text : str
        First line of its standard input, which then stays open: the worker ends when it closes.
    lines : Lines
        Receives its output.
    patience_s : float
        Seconds that it has to end by itself, when its input is closed, before it is killed. A queue such as Slurm's
        keeps a GPU for a command that is killed.

    Raises
    ------
    OSError
        When the program cannot be started.
    """

    def __init__(self, command: Sequence[str], text: str, lines: Lines, *, patience_s: float = 0.0) -> None:
        self.closed = False
        self._too_long = False
        self._patience_s = patience_s
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
                    # A host's command may start more processes, which all hold the pipe: `_end` ends the whole group.
                    start_new_session=True,
                )
            )
            opened.callback(self._close_input)
            reader = threading.Thread(target=self._read, args=(lines,), daemon=True)
            # A plan may exceed the pipe's buffer, and a process that does not read it must not stop this one.
            self._writer = threading.Thread(target=self.send, args=(text,), daemon=True)
            for thread in (reader, self._writer):
                thread.start()
                opened.callback(thread.join)
            opened.callback(self._end)
            self._opened = opened.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the process and wait for it and for the threads that read and write."""
        self._opened.close()  # in reverse order

    def begin_to_close(self) -> None:
        """Close its input, at whose end a worker ends."""
        self.closed = True
        if not self._writer.is_alive():  # else it does not read, and closing would wait for it
            self._close_input()

    def send(self, text: str) -> None:
        """Write a line to its standard input; nothing happens if it has ended."""
        stdin = cast("IO[str]", self._process.stdin)
        with suppress(OSError, ValueError):
            stdin.write(input_text(text))
            stdin.flush()  # but not closed: the worker ends when its input does

    def status(self) -> int:
        """Return the exit status of a process whose output has ended; one that does not end then is killed."""
        try:
            return self._process.wait(_LINGER_S)
        except subprocess.TimeoutExpired:
            self._kill()
            return self._process.wait()

    def words(self) -> str:
        """Return its output on standard error, or that it printed too long a line, for which it was ended."""
        if self._too_long:
            return f"it printed a line of more than {LONGEST_LINE:,} characters, which is not a message of tilescope"
        self._errors.seek(0)
        return self._errors.read()

    def _end(self) -> None:
        self.begin_to_close()
        if self._patience_s:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(self._patience_s)
        self._kill()

    def _kill(self) -> None:
        self._process.kill()
        if sys.platform != "win32":
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def _close_input(self) -> None:
        with suppress(OSError):  # the pipe still holds a plan that was not read
            cast("IO[str]", self._process.stdin).close()

    def _read(self, lines: Lines) -> None:
        with suppress(ValueError):  # closed while reading
            while line := cast("IO[str]", self._process.stdout).readline(LONGEST_LINE + 1):
                if len(line) > LONGEST_LINE:
                    self._too_long = True
                    break  # the process waits at a full pipe until `status` ends it
                lines.put(self, line)
        lines.put(self, None)
