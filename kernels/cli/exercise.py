"""`tilescope exercise`: list, show, check and submit exercises."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kernels.catalog import read_source
from kernels.control_characters import escape_lines
from kernels.errors import InputError
from kernels.exercises import exercises, find_exercise, judge
from kernels.exercises.graded import grade_of
from kernels.exercises.load import limit
from kernels.exercises.progress import read_progress
from kernels.exercises.submission import SUFFIX, Submission, submission_text, text_hash
from kernels.exercises.words import MARKS, gate_title, time_title, time_words
from kernels.files import write_text
from kernels.installation import command_line

if TYPE_CHECKING:
    from kernels.exercises.model import Exercise
    from kernels.exercises.real_time import TimeResult


@click.group()
def command() -> None:
    """Kernels to complete or to mend, each with a check."""


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def show_list(as_json: bool) -> None:
    """List the exercises in teaching order; ✓ marks those that have passed in the window."""
    progress = read_progress()
    if as_json:
        rows = [
            {"id": e.id, "title": e.title, "goal": e.goal, "passed": progress.has_passed(e.id)} for e in exercises()
        ]
        click.echo(json.dumps({"exercises": rows}))
        return
    width = max(len(exercise.id) for exercise in exercises())
    for exercise in exercises():
        mark = "✓" if progress.has_passed(exercise.id) else " "
        click.echo(f"{mark} {exercise.id:<{width}}  {exercise.title}")


@command.command()
@click.argument("exercise_id", metavar="ID")
@click.option("--hint", "hints", type=click.IntRange(0, 3), default=0, metavar="N", help="Show the first N hints.")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE.cu", help="Write the given source to a file.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def show(exercise_id: str, hints: int, out: Path | None, as_json: bool) -> None:
    """Show the goal, the gates and the given source of an exercise."""
    exercise = find_exercise(exercise_id)
    if as_json:
        if out is not None:
            raise InputError("--json prints the given source: omit --out")
        click.echo(json.dumps(_exercise_json(exercise, hints)))
        return
    click.echo(f"{exercise.title}\n{exercise.goal}\n")
    for gate in exercise.gates:
        most = f": at most {limit(gate, exercise.kernel):g}" if gate.case is not None else ""
        click.echo(f"  {gate_title(exercise, gate)}{most}")
    if exercise.time is not None:
        click.echo(f"  {time_title(exercise)}: at least {exercise.time.at_least:g}× as fast as given, with --on-gpu")
    for number, hint in enumerate(exercise.hints[:hints], 1):
        picture = ""
        if hint.picture is not None:
            at = hint.picture
            picture = f" (tilescope shows {at.kernel} at size {at.size} in blocks of {at.block})"
        click.echo(f"\nHint {number}: {hint.text}{picture}")
    if out is None:
        click.echo(f"\n{exercise.text.strip()}")
        return
    if out.exists():
        raise InputError(f"{out}: is there already: choose another name, so that no answer is lost")
    write_text(out, exercise.text.lstrip("\n"))
    check_it = command_line(["tilescope", "exercise", "check", exercise.id, str(out)])
    click.echo(f"\n{out} is written. Check it with: {check_it}")


@command.command()
@click.argument("exercise_id", metavar="ID")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE.cu")
@click.option(
    "--on-gpu",
    is_flag=True,
    help="Also time an answer that passes on the GPU, against the given source. The exit status does not depend on it.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def check(exercise_id: str, file: Path, on_gpu: bool, as_json: bool) -> int:
    """Judge an answer. The exit status is 0 when it passes, and 1 when it does not."""
    exercise = find_exercise(exercise_id)
    if on_gpu:
        _require_time_gate(exercise)
    text = read_source(file)
    judgement = judge(exercise, text)
    grade = grade_of(judgement, text, text_hash(text))
    result = _time(exercise, text) if on_gpu and judgement.passed else None
    if as_json:
        click.echo(json.dumps(grade.to_json() | ({"on_gpu": _time_json(result)} if on_gpu else {})))
    else:
        rows = [f"{MARKS[passed]} {title}{f': {figure}' if figure else ''}" for title, figure, passed in grade.gates]
        if on_gpu:
            words = f"{time_title(exercise)}: not reached" if result is None else time_words(result)
            rows.append(f"{MARKS[result.passed if result is not None else None]} {words}")
        click.echo(escape_lines("\n".join([grade.summary, "", *rows, *(f"\n{text}" for text in grade.findings)])))
    return 0 if judgement.passed else 1


@command.command()
@click.argument("answers", nargs=-1, metavar="[ID=FILE.cu]...")
@click.option("--name", required=True, help="Your name, as the course knows it.")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help=f"By default answers{SUFFIX}.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def submit(answers: tuple[str, ...], name: str, out: Path | None, as_json: bool) -> None:
    """Write one small file with your answers, to hand in.

    Without ID=FILE.cu these are the answers that you gave in the window: those that passed, and the latest texts of
    others.
    """
    texts = dict(_answer(answer) for answer in answers) if answers else _remembered()
    if not texts:
        raise InputError("there is no answer yet: give one as ID=FILE.cu, as in guard=guard.cu")
    path = out or Path(f"answers{SUFFIX}")
    write_text(path, submission_text(Submission(texts, name)))
    verdicts = [
        (exercise, judge(exercise, texts[exercise.id]).passed) for exercise in exercises() if exercise.id in texts
    ]
    if as_json:
        click.echo(json.dumps({"file": str(path), "answers": {exercise.id: right for exercise, right in verdicts}}))
        return
    passed = [exercise for exercise, right in verdicts if right]
    answered = f"{len(texts)} answer{'s' * (len(texts) != 1)}"
    click.echo(f"{path} is written: {answered}, of which {len(passed)} pass")
    for exercise, right in verdicts:
        if not right:
            click.echo(f"  {exercise.id} does not pass yet")


def _exercise_json(exercise: Exercise, hints: int) -> dict[str, Any]:
    limits = {gate: limit(gate, exercise.kernel) for gate in exercise.gates}
    return {
        "id": exercise.id,
        "title": exercise.title,
        "goal": exercise.goal,
        "gates": [{"title": gate_title(exercise, gate), "most": most} for gate, most in limits.items()],
        "hints": [hint.text for hint in exercise.hints[:hints]],
        "given": exercise.text,
    }


def _require_time_gate(exercise: Exercise) -> None:
    """Refuse `--on-gpu` for an exercise that has no gate on real time, and on a machine without a GPU."""
    if exercise.time is None:
        timed = ", ".join(each.id for each in exercises() if each.time is not None)
        raise InputError(f"{exercise.id} is not timed: omit --on-gpu; these exercises are: {timed}")
    from kernels.cli.on_gpu import require_gpu

    require_gpu()


def _time(exercise: Exercise, text: str) -> TimeResult:
    from kernels.exercises.real_time import time_on_gpu

    return time_on_gpu(exercise, text)


def _time_json(result: TimeResult | None) -> dict[str, Any] | None:
    """Return the object that `--json` prints under "on_gpu"; None for an answer that does not pass."""
    if result is None:
        return None
    ratio = result.speed_up
    return {
        "gpu": result.gpu,
        "outcome": result.outcome,
        "passed": result.passed,
        "speed_up": None if ratio is None else {"middle": ratio.middle, "low": ratio.low, "high": ratio.high},
        "at_least": result.gate.at_least,
        "reason": result.reason,
    }


def _answer(text: str) -> tuple[str, str]:
    name, equals, file = text.partition("=")
    if not equals or not file:
        raise InputError(f"'{text}' is no answer: give the exercise and its file, as in guard=guard.cu")
    return find_exercise(name).id, read_source(Path(file))


def _remembered() -> dict[str, Any]:
    attempts = read_progress().attempts
    return {e.id: attempts[e.id].answer for e in exercises() if e.id in attempts and attempts[e.id].answer}
