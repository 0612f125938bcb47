"""A job script for Slurm, an array job in which every task measures one shard of a plan, and the state of its tasks."""

from __future__ import annotations

import math
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from kernels.bench.hosts.shards import on_cpu

if TYPE_CHECKING:
    from kernels.bench.plan import Plan

TaskState: TypeAlias = Literal["pending", "running"]

SCRIPT_FILE: Final = "job.sh"
RESULTS: Final = "results"
"""Folder of the tasks' output, in the folder of the plan."""

_MARGIN: Final = 3.0
"""The time limit of a task is that many times the predicted duration: nodes differ."""

_LEAST_MINUTES: Final = 5

_ANSWER_S: Final = 20.0
"""Seconds in which Slurm's controller has to answer."""

_SCRIPT: Final = """\
#!/bin/bash
# Measures plan.json: {points} points in {shards} tasks, each with one {processor}. Read and edit this file, then, in
# this folder:
#
#   sbatch {script}
#
# A task that was killed is run again by its number, 3 for example:
#
#   sbatch --array=3 {script}
#
# Afterwards, or meanwhile, here or on your own machine: tilescope collect FOLDER

#SBATCH --job-name=tilescope
#SBATCH --array=1-{shards}
#SBATCH --time={minutes}
#SBATCH --output={results}/%A_%a.log
{resources}
# Add what your cluster needs: #SBATCH --partition=…, --account=…, and 'module load …' or 'source …/activate' below.

set -eu
cd "${{SLURM_SUBMIT_DIR:-.}}"
name="${{SLURM_ARRAY_JOB_ID}}_${{SLURM_ARRAY_TASK_ID}}_${{SLURM_RESTART_COUNT:-0}}"
tilescope bench plan.json --shard "$SLURM_ARRAY_TASK_ID" --jsonl > "{results}/$name.jsonl"
"""


def slurm_script(plan: Plan, seconds: float) -> str:
    """Return the text of the script; `seconds` is the predicted duration of the longest shard."""
    needs_gpu = not all(on_cpu(point) for point in plan.points)
    return _SCRIPT.format(
        points=f"{len(plan.points):,}",
        shards=plan.shards,
        processor="GPU" if needs_gpu else "node",
        script=SCRIPT_FILE,
        minutes=max(_LEAST_MINUTES, math.ceil(_MARGIN * seconds / 60)),
        results=RESULTS,
        resources="#SBATCH --gres=gpu:1" if needs_gpu else "#SBATCH --exclusive",
    )


def queued_tasks(folder: Path) -> dict[int, TaskState] | None:
    """Ask Slurm for the tasks that were submitted in a folder: the state of each by its number, which is its shard's.

    A task that has ended, well or not, is not among them. None where there is no Slurm, or it does not answer.
    """
    program = shutil.which("squeue")
    if program is None:
        return None
    # One line for each task, with its number, state and working folder (squeue's manual, "--format").
    words = [program, "--me", "--noheader", "--array", "--format=%K|%T|%Z"]
    try:
        answer = subprocess.run(words, capture_output=True, encoding="utf-8", check=True, timeout=_ANSWER_S).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    found: dict[int, TaskState] = {}
    for line in answer.splitlines():
        number, _, rest = line.strip().partition("|")
        state, _, place = rest.partition("|")
        if number.isdecimal() and Path(place).resolve() == folder.resolve():
            found[int(number)] = "pending" if state == "PENDING" else "running"
    return found
