"""`tilescope grade`: judge a folder of submissions, and write a table and a page."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from kernels.errors import InputError
from kernels.exercises.grade import SECONDS, grade_folder, serve
from kernels.exercises.grade_report import csv_text, html_text
from kernels.exercises.load import exercises
from kernels.files import check_writable, write_text


@click.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path), metavar="FOLDER")
@click.option("--exercise", default="", metavar="ID", help="The exercise that the .cu files of the folder answer.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("grades"),
    show_default=True,
    metavar="NAME",
    help="Write NAME.csv and NAME.html.",
)
@click.option("--seconds", type=click.FloatRange(1), default=SECONDS, show_default=True, help="For each submission.")
@click.option("--jobs", type=click.IntRange(1), metavar="N", help="Submissions at a time; all cores unless given.")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as one JSON object, too.")
@click.option("--worker", is_flag=True, hidden=True, help="Judge the one submission of standard input.")
def command(
    folder: Path | None, exercise: str, out: Path, seconds: float, jobs: int | None, as_json: bool, worker: bool
) -> int:
    """Judge every submission of FOLDER again, and write a table and a page with the failing case of each.

    A submission is a file of 'tilescope exercise submit'; with --exercise, .cu files are judged as well. Each is judged
    in a process that reads no other file and has limits of time, memory and output. Folders in FOLDER are searched,
    links are not followed. The exit status is 0 when the table is written, whatever the grades are.
    """
    if worker:
        serve(sys.stdin.readline())
        return 0
    if folder is None:
        raise InputError("give the folder of the submissions, as in 'tilescope grade submissions'")
    table, page = (out.with_name(f"{out.name}{suffix}") for suffix in (".csv", ".html"))
    for file in (table, page):
        check_writable(file)
    entries = grade_folder(
        folder, exercise=exercise, seconds=seconds, jobs=jobs, leave_out=(table, page), done=_show_progress
    )
    write_text(table, csv_text(entries, exercises()))
    write_text(page, html_text(entries, exercises()))
    if as_json:
        rows = [
            {
                "file": entry.file,
                "name": entry.name,
                "problem": entry.problem,
                "grades": [grade.to_json() for grade in entry.grades],
            }
            for entry in entries
        ]
        click.echo(json.dumps({"submissions": rows}))
    else:
        answers = sum(len(entry.grades) for entry in entries)
        passed = sum(entry.passed for entry in entries)
        unusable = sum(bool(entry.problem) for entry in entries)
        click.echo(f"{len(entries)} submissions: {passed} of {answers} answers passed, {unusable} have a problem")
        click.echo(f"{table} and {page} are written")
    return 0


def _show_progress(done: int, total: int) -> None:
    if sys.stderr.isatty():
        click.echo(f"\r{done} of {total}", nl=done == total, err=True)
