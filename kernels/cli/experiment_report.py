"""Output of `tilescope experiment`: the list, measured and published figures, the claims; or one JSON object."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import click

from kernels.bench.protocol import sample_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.bench.store import Row
    from kernels.experiments import Comparison, Experiment

_FILE_COLUMNS: Final = 160
"""Width of a table in a file in characters, enough for the longest line."""

_TEXT_COLUMNS: Final = 110
"""Maximum width of sentences in characters."""


def print_list(experiments: Sequence[Experiment], *, as_json: bool) -> None:
    """Print every experiment with its question."""
    if as_json:
        names = ("id", "title", "question", "source", "gpu")
        click.echo(json.dumps([{name: getattr(e, name) for name in names} for e in experiments]))
        return
    widest = max(len(e.id) for e in experiments)
    for e in experiments:
        click.echo(f"{e.id:<{widest}}  {e.title}: {e.question}")
    click.echo("\nRun one with: tilescope experiment ID")


def print_comparison(experiment: Experiment, comparison: Comparison) -> None:
    """Print our figures with the published ones, the claims, things to look for, and figures of current hardware."""
    click.echo(f"{experiment.title}: {experiment.question}")
    click.echo(f"published: {experiment.source}, {experiment.gpu}; ours: {comparison.device or 'not measured yet'}\n")
    if comparison.table.rows:
        _print_table(comparison.table.header, comparison.table.rows)
    if comparison.claims:
        click.echo()
        rows = [(c.verdict, c.text, c.published or "–", c.ours or "–") for c in comparison.claims]
        _print_table(("verdict", "claim", "published", "ours"), rows, left_aligned=True)
    _print_sentences("how occupancy chose the block", comparison.derivation)
    _print_sentences("what to look for", experiment.look_for)
    _print_sentences("today", experiment.today)


def comparison_json(experiment: Experiment, comparison: Comparison, rows: Sequence[Row]) -> dict[str, Any]:
    """Build the object that `--json` prints."""
    environment = rows[0].environment if rows else None
    return {
        "experiment": experiment.id,
        "title": experiment.title,
        "source": experiment.source,
        "gpu": experiment.gpu,
        "environment": environment.to_json() if environment else None,
        "table": asdict(comparison.table),
        "series": [asdict(series) for series in comparison.series],
        "ticks": list(comparison.ticks),
        "claims": [asdict(claim) for claim in comparison.claims],
        "troubles": list(comparison.troubles),
        "derivation": list(comparison.derivation),
        "samples": [sample_json(row.sample) for row in rows],
    }


def duration_words(seconds: float) -> str:
    """Round an estimated duration: `about 40 s`, `about 3 min`."""
    if seconds < 90:
        return f"about {max(5, round(seconds / 5) * 5)} s"
    return f"about {round(seconds / 60)} min"


def _print_table(header: Sequence[str], rows: Sequence[Sequence[str]], *, left_aligned: bool = False) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    for number, title in enumerate(header):
        table.add_column(title, justify="left" if left_aligned or not number else "right", no_wrap=not number)
    for row in rows:
        table.add_row(*row)
    Console(width=None if sys.stdout.isatty() else _FILE_COLUMNS, markup=False, highlight=False).print(table)


def _print_sentences(title: str, sentences: Sequence[str]) -> None:
    if not sentences:
        return
    click.echo(f"\n{title}")
    columns = min(_TEXT_COLUMNS, shutil.get_terminal_size((_TEXT_COLUMNS, 24)).columns)
    for sentence in sentences:
        click.echo(textwrap.fill(sentence, columns, initial_indent="  - ", subsequent_indent="    "))
