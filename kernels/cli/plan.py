"""`tilescope plan`: write a plan for other machines, with the script that measures it there."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kernels.bench.hosts.collect import PLAN_FILE
from kernels.bench.hosts.shards import divide, groups
from kernels.bench.hosts.slurm import RESULTS, SCRIPT_FILE, slurm_script
from kernels.bench.kernel_texts import with_texts
from kernels.bench.prediction import predict
from kernels.bench.store.run_header import new_id
from kernels.catalog import catalog
from kernels.cli.plan_options import PlanRequest, plan_options
from kernels.errors import InputError
from kernels.files import make_folder, write_text

if TYPE_CHECKING:
    from kernels.bench.plan import Plan


@click.command()
@plan_options
@click.option(
    "--folder",
    type=click.Path(path_type=Path),
    default=Path("plan"),
    show_default=True,
    metavar="FOLDER",
    help="A new folder for the plan, its script and its results.",
)
@click.option("--shards", type=click.IntRange(1), default=1, metavar="N", help="Divide the points among N tasks.")
@click.option("--slurm", is_flag=True, help=f"Write {SCRIPT_FILE}, an array job for Slurm: a task for each shard.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def command(request: PlanRequest, folder: Path, shards: int, slurm: bool, as_json: bool) -> int:
    """Write a plan that other machines measure: FOLDER/plan.json, with the text of every kernel in it.

    Any machine with tilescope measures it: tilescope bench plan.json, or one shard of it with --shard N. Points that
    are compared with each other are in one shard. 'tilescope collect FOLDER' adds the results to your samples.
    """
    chosen = request.named_kernels()
    if not chosen and not request.own_files:
        chosen = tuple(kernel for kernel in catalog() if kernel.measurable)
    plan = with_texts(request.plan(chosen))
    most = len(groups(plan.points))
    if shards > most:
        raise InputError(
            f"--shards {shards}: points of one size are compared with each other and stay in one shard: "
            f"give at most {most}, or more sizes"
        )
    plan = plan.divided(shards, new_id())
    if (folder / PLAN_FILE).exists():
        raise InputError(f"{folder}: has a plan already: choose another folder with --folder")
    make_folder(folder / RESULTS)
    write_text(folder / PLAN_FILE, _text(plan))
    seconds = _longest_s(plan)
    tasks = f"{shards} shards" if shards > 1 else "1 shard"
    points = "1 point" if len(plan.points) == 1 else f"{len(plan.points):,} points"
    words = {PLAN_FILE: f"{points} in {tasks}, each about {seconds:,.0f} s or less"}
    if slurm:
        write_text(folder / SCRIPT_FILE, slurm_script(plan, seconds))
        words[SCRIPT_FILE] = f"read it, edit it, then: cd {shlex.quote(str(folder))} && sbatch {SCRIPT_FILE}"
    if as_json:
        files = [str(folder / name) for name in words]
        click.echo(json.dumps({"files": files, "points": len(plan.points), "shards": shards, "seconds": seconds}))
        return 0
    for name, text in words.items():
        click.echo(f"{folder / name}: {text}")
    return 0


def _text(plan: Plan) -> str:
    """Return the plan as JSON, a point a line, which people can read and compare."""
    fields = {name: json.dumps(value) for name, value in plan.to_json().items()}
    fields["points"] = "[\n  " + ",\n  ".join(json.dumps(point.to_json()) for point in plan.points) + "\n ]"
    return "{\n" + ",\n".join(f' "{name}": {value}' for name, value in fields.items()) + "\n}\n"


def _longest_s(plan: Plan) -> float:
    return max(predict(part).seconds for part in divide(plan))
