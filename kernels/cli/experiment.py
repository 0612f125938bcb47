"""`tilescope experiment`: run a published table on this machine and compare the results."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from kernels.bench.protocol import sample_json
from kernels.bench.store.csv_file import write_csv
from kernels.bench.store.database import Row, Store, skip_reasons
from kernels.cli.measuring import MeasuredRun, measure, store_option
from kernels.errors import InputError
from kernels.experiments import compare, estimate_s, experiment_plan, experiments, find_experiment
from kernels.experiments.plan import is_run_of, purpose, this_machine
from kernels.files import check_writable
from kernels.startup import INTERRUPTED
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.experiments import Comparison, Experiment, Scale


_NO_RESULT: Final = ("wrong", "failed", "overtime")


@click.command()
@click.argument("name", required=False, metavar="[ID]")
@click.option("--full", is_flag=True, help="Every size of the publication, not the few of a quick run.")
@click.option("--sizes", metavar="N,N,...", help="These problem sizes instead: n, or MxNxK.")
@click.option("--to", type=click.IntRange(1), metavar="N", help="Sizes up to n, as far as you like.")
@click.option("--last", is_flag=True, help="Show the latest run that is stored; measure nothing.")
@click.option("--csv", "csv_file", type=click.Path(path_type=Path), metavar="FILE", help="Write the samples as CSV.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@store_option
def command(
    name: str | None,
    full: bool,
    sizes: str | None,
    to: int | None,
    last: bool,
    csv_file: Path | None,
    as_json: bool,
    store_file: Path | None,
) -> int:
    """Run a published experiment here and compare the figures. Without ID, list them.

    Without a GPU only the parts for the CPU run, and a line names the rest. The exit status is 0 when every point
    has an outcome (a refused size is one), 1 when a result is wrong or a kernel fails, 2 when nothing can be
    measured, or when the samples, which are shown, cannot be stored.
    """
    if name is None:
        if full or sizes or to or last or csv_file:
            ids = ", ".join(e.id for e in experiments())
            raise InputError(f"give the id of an experiment: one of {ids}")
        print_list(experiments(), as_json=as_json)
        return 0
    experiment = find_experiment(name)
    if last and (full or sizes or to):
        raise InputError("--last shows what is stored: omit --full, --sizes and --to")
    if sizes and to:
        raise InputError("give sizes as a list with --sizes, or as a limit with --to, not both")
    if csv_file:
        check_writable(csv_file)
    if last:
        run, status = MeasuredRun(_stored_rows(experiment, store_file)), 0
    else:
        chosen = tuple(Size.parse(part) for part in sizes.split(",")) if sizes else ()
        run, status = _run(experiment, chosen, to, store_file, full=full, quiet=as_json)
    comparison = compare(experiment, run.latest)
    if as_json:
        click.echo(json.dumps(comparison_json(experiment, comparison, run.rows)))
    else:
        print_comparison(experiment, comparison)
    if csv_file:
        write_csv(csv_file, run.rows)
    run.raise_error()
    return status or (1 if any(row.sample.outcome in _NO_RESULT for row in run.latest) else 0)


def _run(
    experiment: Experiment, sizes: tuple[Size, ...], to: int | None, store_file: Path | None, *, full: bool, quiet: bool
) -> tuple[MeasuredRun, int]:
    """Announce the points and the estimated time, and measure; return the run and the exit status."""
    machine = this_machine()
    scale: Scale = "full" if full or to else "quick" if machine.device else "cpu"
    plan, left_out = experiment_plan(experiment, scale, machine, sizes, to)
    if not plan.points:
        click.echo(f"tilescope: {experiment.id}: nothing of it can be measured here: {'; '.join(left_out)}", err=True)
        return MeasuredRun([]), 2
    if not quiet:
        for line in left_out:
            click.echo(f"left out: {line}", err=True)
        takes = duration_words(estimate_s(plan, machine))
        click.echo(f"{experiment.title}: {len(plan.points)} points ({scale}), {takes}", err=True)
    run = measure(plan, store_file, keep=True, quiet=quiet, purpose=purpose(experiment, scale))
    if not run.complete:
        stored = "" if run.error else " and stored"
        click.echo(f"stopped: {len(run.latest)} of {len(plan.points)} points are measured{stored}", err=True)
    return run, 0 if run.complete else INTERRUPTED


def _stored_rows(experiment: Experiment, store_file: Path | None) -> list[Row]:
    """Return the samples of the latest run of an experiment."""
    with Store(store_file) as store:
        for run in store.runs():
            if is_run_of(run, experiment):
                rows = list(store.rows(run.id))
                if store.skipped:
                    count, why = len(store.skipped), skip_reasons(store.skipped)
                    click.echo(f"tilescope: {store.path}: {count} samples are left out: {why}", err=True)
                return rows
        raise InputError(
            f"{store.path}: holds no run of {experiment.id}: run it with tilescope experiment {experiment.id}"
        )


# --- Output of `tilescope experiment`: the list, measured and published figures, the claims; or one JSON object


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
