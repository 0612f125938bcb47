"""Output of `tilescope verify`: a line for each point, refusals with their reasons, small matrices, JSON."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import click

from kernels.bench.protocol import sample_json
from kernels.catalog import find_kernel
from kernels.control_characters import escape_controls

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from rich.console import Console

    from kernels.bench.checking import Work
    from kernels.bench.measure.environment import Environment
    from kernels.bench.sample import Point, Sample
    from kernels.fill import Fills

_WIDE: Final = 240
"""Columns of a table in a file, enough for the longest line."""


@dataclass(frozen=True, slots=True)
class CheckedPoint:
    """The outcome of one point."""

    sample: Sample
    fills: Fills
    """Fills of its inputs."""
    environment: Environment | None
    epsilon: float | None = None
    """The absolute error that the user allows; None for any."""

    @property
    def refused(self) -> bool:
        """Return whether the kernel cannot be launched at this point, which is no error."""
        return self.sample.outcome == "refused"

    @property
    def right(self) -> bool:
        """Return whether every check passed."""
        checks = self.sample.checks
        near = self.epsilon is None or (checks is not None and checks.within(self.epsilon))
        return self.sample.outcome == "checked" and near

    @property
    def unfinished(self) -> bool:
        """Return whether the point was ended for its time, so that nothing is known of its result."""
        return self.sample.outcome == "overtime"

    @property
    def wrong(self) -> bool:
        """Return whether a check failed, or the kernel."""
        return not (self.right or self.refused or self.unfinished)

    @property
    def word(self) -> str:
        """The verdict in the table, with the checks of the documents where they apply."""
        if self.unfinished:
            return "not finished"
        if self.sample.outcome != "checked":
            return self.sample.outcome.upper()
        if not self.right:
            return f"WRONG: beyond {self.epsilon:g}"
        checks = self.sample.checks
        passed = {"last row": checks and checks.last_row, "as printed": checks and checks.known}
        return ", ".join(["right", *(word for word, is_passed in passed.items() if is_passed)])


def print_report(checked_points: Sequence[CheckedPoint], work: Work) -> None:
    """Print a table of the points that ran, the reasons for the others, and the sum."""
    from rich.console import Console
    from rich.table import Table

    console = Console(width=None if sys.stdout.isatty() else _WIDE, highlight=False)
    table = Table(box=None, header_style="bold")
    for column in ("kernel", "size", "inputs"):
        table.add_column(column, no_wrap=True)
    for column in ("max error", "of bound", "relative", "L2", "bits"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("checked", no_wrap=True)
    table.add_column("", no_wrap=True)
    for point in checked_points:
        if not point.refused:
            table.add_row(*_names(point), *_figures(point.sample), point.word, style=None if point.right else "bold")
    if checked_points and checked_points[0].environment:
        click.echo(checked_points[0].environment.device)
    if table.row_count:
        console.print(table)
    _print_refusals(console, checked_points)
    for kernel in work.lessons:
        line = escape_controls(f"{kernel.id}: lesson, not verified: {kernel.flaw}")
        console.print(line, markup=False, soft_wrap=True)
    if work.left_out:
        line = f"left out because they take long (name the sizes with --size to check them): {_spread(work.left_out)}"
        console.print(line, markup=False, soft_wrap=True)
    console.print(_sum(checked_points), markup=False, soft_wrap=True)


def _names(point: CheckedPoint) -> tuple[str, str, str]:
    has_inputs = any(not s.output for s in find_kernel(point.sample.point.entry.kernel).workload.arrays(_size(point)))
    return point.sample.point.entry.label, str(_size(point)), str(point.fills) if has_inputs else ""


def _size(point: CheckedPoint) -> Any:
    return point.sample.point.size


def _figures(sample: Sample) -> tuple[str, ...]:
    """Write every figure; a point that failed has none."""
    checks = sample.checks
    if checks is None or not checks.elements:
        return ("", "", "", "", "", sample.checked)
    bits = "equal" if not checks.unlike_bits else f"{checks.unlike_bits:,} differ"
    return (
        f"{checks.max_error:.3g}",
        f"{checks.bound_share:.2%}",
        f"{checks.relative_error:.2g}",
        f"{checks.l2:.4g}",
        bits,
        checks.checked,
    )


def _print_refusals(console: Console, checked_points: Sequence[CheckedPoint]) -> None:
    """Print each reason once, with its points."""
    all_sizes: dict[str, set[str]] = defaultdict(set)
    reasons: dict[tuple[str, str], list[Point]] = defaultdict(list)
    for sample in (point.sample for point in checked_points):
        all_sizes[sample.point.entry.label].add(str(sample.point.size))
        if sample.outcome == "refused":
            reasons[sample.point.entry.kernel, sample.error].append(sample.point)
    for (_, reason), points in reasons.items():
        line = escape_controls(f"refused: {_spread(points, all_sizes)}: {reason}")
        console.print(line, markup=False, soft_wrap=True)


def _spread(points: Iterable[Point], all_sizes: Mapping[str, Collection[str]] = MappingProxyType({})) -> str:
    """Write points in short: entries with the same sizes together. `all_sizes` are the sizes of each entry."""
    sizes: dict[str, dict[str, None]] = defaultdict(dict)
    for point in points:
        sizes[point.entry.label][str(point.size)] = None
    entries: dict[str, list[str]] = defaultdict(list)
    for label, names in sizes.items():
        is_all = len(names) > 1 and len(names) == len(all_sizes.get(label, ()))
        entries["every size" if is_all else ", ".join(names)].append(label)
    return "; ".join(f"{', '.join(labels)} at {names}" for names, labels in entries.items())


def _sum(checked_points: Sequence[CheckedPoint]) -> str:
    right = sum(point.right for point in checked_points)
    refused = sum(point.refused for point in checked_points)
    wrong = sum(point.wrong for point in checked_points)
    unfinished = sum(point.unfinished for point in checked_points)
    words = f"{right:,} right, {wrong:,} wrong, {refused:,} refused"
    return f"{words}, {unfinished:,} not finished" if unfinished else words


def print_matrices(checked_points: Sequence[CheckedPoint]) -> None:
    """Print inputs and results as the documents do, a row a line."""
    for point in checked_points:
        sample = point.sample
        if not sample.checks:
            continue
        kernel = find_kernel(sample.point.entry.kernel)
        click.echo(f"{sample.point}, inputs {point.fills}")
        specs = kernel.workload.arrays(sample.point.size)
        small = all(spec.name in sample.checks.outputs for spec in specs if spec.output)
        if not small or not specs:
            click.echo("  too large to print: choose a size up to 16" if specs else "  no matrices")
            continue
        inputs = kernel.workload.inputs(sample.point.size, point.fills)
        arrays = {name: values.tolist() for name, values in kernel.workload.numbers(inputs).items()} | dict(
            sample.checks.outputs
        )
        for name, rows in arrays.items():
            click.echo("\n".join([f"{name} =", *_rows(rows), ""]))


def _rows(rows: Sequence[Sequence[float]]) -> list[str]:
    words = [[f"{value:.7g}" for value in row] for row in rows]
    width = max(len(word) for row in words for word in row)
    return [" ".join(f"{word:>{width}}" for word in row) for row in words]


def print_json(checked_points: Sequence[CheckedPoint], work: Work) -> None:
    """Print one JSON object: the environment, every point with its checks, the lessons, and the points left out."""
    environment = next((point.environment for point in checked_points if point.environment), None)
    points = [{**sample_json(point.sample), "fill": str(point.fills), "right": point.right} for point in checked_points]
    click.echo(
        json.dumps(
            {
                "environment": environment.to_json() if environment else None,
                "points": points,
                "lessons": {kernel.id: kernel.flaw for kernel in work.lessons},
                "left_out": [point.to_json() for point in work.left_out],
            }
        )
    )
