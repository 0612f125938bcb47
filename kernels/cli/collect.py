"""`tilescope collect`: add the results of a plan's shards to the store."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kernels.bench.hosts.collect import PLAN_FILE, collect, import_into
from kernels.bench.hosts.slurm import RESULTS, SCRIPT_FILE, queued_tasks
from kernels.bench.store.run_history import RunHistory
from kernels.cli.measuring import store_option
from kernels.words import plural

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kernels.bench.hosts.slurm import TaskState


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
    tasks = queued_tasks(folder) if missing else None
    begun = found.begun
    for number, count in missing.items():
        state = _state(number in begun, tasks, number)
        click.echo(f"shard {number} lacks {plural(count, 'point')}: {state}")
    ended = ",".join(str(number) for number in missing if number not in (tasks or ()))
    if ended and not (folder / SCRIPT_FILE).exists():
        first = ended.split(",")[0]
        again = f"tilescope bench {PLAN_FILE} --shard {first} --jsonl > {RESULTS}/{first}_again.jsonl"
        click.echo(f"to measure shard {first}: cd {shlex.quote(str(folder))} && {again}")
    elif ended:
        when = "run again what has ended" if tasks is not None else "once a task has ended, run it again"
        click.echo(f"with Slurm, {when}: sbatch --array={ended} {SCRIPT_FILE}")
    return 1 if missing else 0


def _state(begun: bool, tasks: Mapping[int, TaskState] | None, number: int) -> str:
    """Say what is known of the task of a shard that is not complete."""
    if tasks is None:
        return f"it has {'some' if begun else 'no'} results; whether its task still runs is not known here"
    if number in tasks:
        return "its task waits in the queue" if tasks[number] == "pending" else "its task runs"
    return "its task has ended early" if begun else "no task of it is queued or running, and it has no results"
