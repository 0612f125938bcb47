"""Output of `tilescope bench`: progress and a table for people, JSON for programs."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import click

from kernels.bench.measure.compiled_code import factors_of, percent_of_peak
from kernels.bench.measure.conditions import Conditions
from kernels.bench.protocol import Begin, Failed, Measured, sample_json
from kernels.bench.rates import rate_of
from kernels.bench.sample import PARTS
from kernels.control_characters import escape_controls
from kernels.number_types import HALVES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kernels.bench.intervals import Interval
    from kernels.bench.protocol import Message
    from kernels.bench.sample import Sample
    from kernels.bench.store.database import Row
    from kernels.workload import Rate

_PART_WORDS: Final = {"to_device": "to device", "kernel": "kernel", "to_host": "to host"}

_WIDE: Final = 240
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
                    bar.advance(task, 0 if sample.repeat else 1)
                    if sample.error and not quiet and (refusals or sample.outcome != "refused"):
                        line = escape_controls(f"{sample.point}: {sample.error}")
                        console.print(line, markup=False, soft_wrap=True)

        yield show


def print_table(rows: Sequence[Row]) -> None:
    """Print a line for each point; one without a time has its outcome.

    Further columns: the rate in the unit of a workload that names one; where transfers are timed, the median of each
    part; where the GPU can be asked, its clocks, power and temperature; where a library routine was timed in turns with
    the points, the speed-up over it. Lines below the table say what disturbed the times marked with an asterisk.
    """
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, header_style="bold")
    table.add_column("kernel", no_wrap=True)
    parts = PARTS if any(row.sample.parts_ms for row in rows) else ()
    columns: tuple[str, ...] = (
        "size",
        "median ms",
        *(_PART_WORDS[part] for part in parts),
        "95 % interval",
        "min",
        "samples",
        "stopped",
        "GFLOPS",
    )
    rates = {row.sample.point: rate for row in rows if (rate := rate_of(row.sample.point.entry.kernel)) is not None}
    units = tuple(dict.fromkeys(rate.unit for rate in rates.values()))
    columns += units
    clocks = any(row.sample.conditions and row.sample.conditions.sm_clock_mhz for row in rows)
    compared = any(row.sample.baseline for row in rows)
    if clocks:
        columns += ("of peak", "SM MHz", "memory MHz", "W", "°C")
    if compared:
        columns += ("speed-up",)
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    for row in rows:
        sample = row.sample
        if sample.median_ms is None:
            figures = [*([""] * (len(columns) - 2)), sample.outcome]
        else:
            figures = [
                _time(sample.median_ms) + "*" * bool(sample.marks),
                *(_time(sample.part_ms(part)) for part in parts),
                _interval(sample.interval),
                _time(sample.min_ms),
                str(len(sample.times_ms)),
                sample.stopped,
                "" if sample.gflops is None else _rate(sample.gflops),
                *(_rate_in(unit, rates.get(sample.point), sample) for unit in units),
                *(_clocks(row) if clocks else ()),
                *((_speed_up(sample),) if compared else ()),
            ]
        size = "as launched" if sample.point.entry.launch else str(sample.point.size)
        table.add_row(sample.point.entry.label, size, *figures)
    if rows and rows[0].environment:
        click.echo(rows[0].environment.device)
    console = Console(width=_WIDE)
    # A terminal that is too narrow breaks the lines; a narrower table would leave out digits.
    needed = console.measure(table).maximum
    Console(width=max(Console().width, needed) if sys.stdout.isatty() else _WIDE).print(table)
    for factors in HALVES:
        points = (row.sample.point.entry for row in rows)
        names = dict.fromkeys(entry.label for entry in points if factors_of(entry.kernel) == factors)
        if names:
            line = f"GFLOPS and peak in {factors}, with sums in float32: {', '.join(names)}"
            click.echo(escape_controls(line))
    for row in rows:
        if row.sample.marks:
            click.echo(escape_controls(f"* {row.sample.point}: {'; '.join(row.sample.marks)}"))


def _interval(interval: Interval | None) -> str:
    """Write the ends, and half the width as a percentage of the median."""
    if interval is None:
        return "too few samples"
    return f"{interval.low:.4g} … {interval.high:.4g} (±{100 * interval.relative_half_width:.2g} %)"


def _clocks(row: Row) -> tuple[str, ...]:
    """Write percent of peak, clocks, power and temperature; "" for what could not be read."""
    seen, percent = row.sample.conditions or Conditions(), percent_of_peak(row.sample, row.environment)
    share = "" if percent is None else f"{percent:.1f} %"
    readings = (seen.sm_clock_mhz, seen.memory_clock_mhz, seen.power_w, seen.temperature_c)
    return (share, *("" if value is None else f"{value:.0f}" for value in readings))


def _speed_up(sample: Sample) -> str:
    """Write the speed-up over the baseline where it differs from 1, and the words where it does not."""
    ratio = sample.speed_up
    if ratio is None:
        return ""
    figures = f"{ratio.low:.4g} … {ratio.high:.4g}"
    return f"{ratio.middle:.4g} ({figures})" if sample.claim in ("faster", "slower") else f"{sample.claim} ({figures})"


def _time(median_ms: float | None) -> str:
    return "" if median_ms is None else f"{median_ms:.4g}"


def _rate_in(unit: str, rate: Rate | None, sample: Sample) -> str:
    if rate is None or rate.unit != unit or sample.median_ms is None:
        return ""
    return _rate(rate.of(sample.point.size, sample.median_ms))


def _rate(gflops: float) -> str:
    """Write four digits, more only before the decimal point."""
    return f"{gflops:,.0f}" if gflops >= 1000 else f"{gflops:.4g}"


def print_json(rows: Sequence[Row]) -> None:
    """Print one JSON object: the environment, and the samples with figures derived from their times."""
    environment = rows[0].environment if rows else None
    samples = [
        sample_json(row.sample) | {"percent_of_peak": percent_of_peak(row.sample, row.environment)} for row in rows
    ]
    click.echo(json.dumps({"environment": environment.to_json() if environment else None, "samples": samples}))
