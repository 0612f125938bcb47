"""`tilescope collect`: add the results of a plan's shards to the store."""

from __future__ import annotations

import json
from pathlib import Path

import click

from kernels.bench.collect import collect, import_into
from kernels.bench.run_history import RunHistory
from kernels.bench.slurm import SCRIPT_FILE
from kernels.cli.measuring import store_option


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@store_option
def command(folder: Path, as_json: bool, store_file: Path | None) -> int:
    """Add the results in FOLDER, which 'tilescope plan' has written, to your samples; twice is as once.

    The exit status is 0 when every point of the plan has an outcome, else 1.
    """
    found = collect(folder)
    with RunHistory(store_file) as store:
        new = import_into(store, found)
    for problem in found.problems:
        click.echo(f"tilescope: {problem}", err=True)
    points, missing = len({row.sample.point for row in found.rows}), found.missing
    if as_json:
        counts = {"points": len(found.plan.points), "outcomes": points, "new": new, "twice": found.repeated_count}
        click.echo(json.dumps({**counts, "missing": missing, "problems": found.problems}))
        return 1 if missing else 0
    words = f"{points:,} of {len(found.plan.points):,} points have an outcome; {new:,} of them are new"
    if found.repeated_count:
        words += f"; {found.repeated_count:,} were measured by two tasks"
    click.echo(words)
    for number, count in missing.items():
        click.echo(f"shard {number} lacks {count:,} point{'s' * (count > 1)}")
    if missing:
        numbers = ",".join(map(str, missing))
        click.echo(f"with Slurm, run them again: sbatch --array={numbers} {SCRIPT_FILE}")
    return 1 if missing else 0
