"""Output of `tilescope bench`: progress and a table for people, JSON for programs."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import click

from kernels.bench.protocol import Begin, Failed, Measured, sample_json
from kernels.bench.sample import PARTS
from kernels.control_characters import escape_controls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kernels.bench.protocol import Message
    from kernels.bench.store import Row

_PART_WORDS: Final = {"to_device": "to device", "kernel": "kernel", "to_host": "to host"}

_WIDE: Final = 160
"""Columns of a table in a file, enough for the longest line."""


@contextmanager
def progress_bar(points: int, *, quiet: bool, refusals: bool = True) -> Iterator[Callable[[Message], None]]:
    """Show a bar with the remaining time on standard error, if that is a terminal, and the errors of points.

    Yields a function that is called with every message. Without `refusals`, refused points are not reported.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True, highlight=False)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console, transient=True, disable=quiet or not console.is_terminal) as bar:
        task = bar.add_task("starting", total=points)

        def show(message: Message) -> None:
            match message:
                case Begin(point):
                    bar.update(task, description=str(point))
                case Measured(sample) | Failed(sample):
                    bar.advance(task)
                    if sample.error and not quiet and (refusals or sample.outcome != "refused"):
                        line = escape_controls(f"{sample.point}: {sample.error}")
                        console.print(line, markup=False, soft_wrap=True)

        yield show


def print_table(rows: Sequence[Row]) -> None:
    """Print a line for each point; one without a time has its outcome.

    Where transfers are timed, further columns have the median of each part.
    """
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, header_style="bold")
    table.add_column("kernel", no_wrap=True)
    parts = PARTS if any(row.sample.parts_ms for row in rows) else ()
    columns = ("size", "median ms", *(_PART_WORDS[part] for part in parts), "p10 … p90", "samples", "GFLOPS")
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    for row in rows:
        sample = row.sample
        figures = (
            (*([""] * (len(columns) - 2)), sample.outcome)
            if sample.median_ms is None
            else (
                f"{sample.median_ms:.4g}",
                *(_time(sample.part_ms(part)) for part in parts),
                f"{sample.p10_ms:.4g} … {sample.p90_ms:.4g}",
                str(len(sample.times_ms)),
                "" if sample.gflops is None else _rate(sample.gflops),
            )
        )
        table.add_row(sample.point.entry.label, str(sample.point.size), *figures)
    if rows and rows[0].environment:
        click.echo(rows[0].environment.device)
    Console(width=None if sys.stdout.isatty() else _WIDE).print(table)


def _time(median_ms: float | None) -> str:
    return "" if median_ms is None else f"{median_ms:.4g}"


def _rate(gflops: float) -> str:
    """Write four digits, more only before the decimal point."""
    return f"{gflops:,.0f}" if gflops >= 1000 else f"{gflops:.4g}"


def print_json(rows: Sequence[Row]) -> None:
    """Print one JSON object: the environment, and the samples with figures derived from their times."""
    environment = rows[0].environment if rows else None
    samples = [sample_json(row.sample) for row in rows]
    click.echo(json.dumps({"environment": environment.to_json() if environment else None, "samples": samples}))
