"""Progress of a simulated run on the terminal; Ctrl+C ends the run and keeps the steps so far."""

from __future__ import annotations

import signal
import sys
import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.progress import Progress

    from kernels.simt import Options

_DELAY_S: Final = 1.0
"""Seconds before the bar appears."""

_INTERVAL_S: Final = 0.1
"""Seconds between two updates of the bar."""


class InterruptibleRun:
    """Options of a run with a progress bar that Ctrl+C ends."""

    def __init__(self, options: Options) -> None:
        self.options = replace(options, cancelled=lambda: self.interrupted, progress=self._show)
        """Options for `kernels.simt.run`."""
        self.interrupted = False
        """Whether the user has pressed Ctrl+C."""
        self._bar: Progress | None = None
        self._due = time.monotonic() + _DELAY_S

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.stop()

    def _show(self, steps: int, part: float) -> None:
        now = time.monotonic()
        if now < self._due or not sys.stderr.isatty():
            return
        self._due = now + _INTERVAL_S
        if self._bar is None:
            self._bar = _new_bar()
            self._bar.start()
        self._bar.update(self._bar.task_ids[0], completed=part, so_far=f"{part:.0%}, {steps:,} steps", refresh=True)


@contextmanager
def interruptible(options: Options) -> Iterator[InterruptibleRun]:
    """Show the used part of the step or memory limit on standard error, if that is a terminal; end the run at Ctrl+C.

    A second Ctrl+C ends the program.
    """
    run = InterruptibleRun(options)

    def end(*_: object) -> None:
        signal.signal(signal.SIGINT, previous)
        run.interrupted = True

    previous = signal.signal(signal.SIGINT, end)
    try:
        yield run
    finally:
        signal.signal(signal.SIGINT, previous)
        run.close()


def _new_bar() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    bar = Progress(
        TextColumn("running; of the budget"),
        BarColumn(),
        TextColumn("{task.fields[so_far]}, at most"),
        TimeRemainingColumn(),
        TextColumn("left; Ctrl+C ends it here"),
        console=Console(stderr=True, highlight=False),
        transient=True,
        auto_refresh=False,
    )
    bar.add_task("", total=1.0, so_far="")
    return bar
