"""Grade a folder: every submission is judged again, in parallel, each in a confined child process.

The parent reads regular files in the folder as data; it follows no link. A child gets the texts of one submission,
judges them, and prints one JSON object a line for each. A child that takes too long is killed; the answers that it has
judged count.
"""

from __future__ import annotations

import json
import os
import stat
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from kernels.bench.hosts.worker_process import Lines, WorkerProcess
from kernels.child_process import child_command
from kernels.errors import InputError
from kernels.exercises.confinement import confine
from kernels.exercises.graded import Grade, GradedEntry, grade_of, shorten
from kernels.exercises.judge import judge
from kernels.exercises.load import exercises, find_exercise
from kernels.exercises.submission import MOST_BYTES, Submission, parse_submission, text_hash

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

SECONDS: Final = 30.0
"""Default time for one submission."""

_ANSWER_SECONDS: Final = 4.0
"""Time for one answer; a right one takes less than one second."""

_MEMORY_BYTES: Final = 4 << 30
"""Address space of a child; most of it is that of the libraries."""

_MOST_ENTRIES: Final = 10_000
_DEEPEST: Final = 4
_MOST_LINES: Final = 300
_MOST_LINE: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of the folder, or another thing that is there in place of one."""

    name: str
    """Relative to the folder."""
    path: Path
    problem: str = ""
    """Reason why it is not read."""


def grade_folder(
    folder: Path,
    *,
    exercise: str = "",
    seconds: float = SECONDS,
    jobs: int | None = None,
    leave_out: Sequence[Path] = (),
    done: Callable[[int, int], None] | None = None,
) -> tuple[GradedEntry, ...]:
    """Judge everything in a folder; return one row for each entry, in the order of their names.

    Parameters
    ----------
    folder : Path
    exercise : str
        The exercise that the `.cu` files of the folder answer; "" for none.
    seconds : float
        Time for each submission.
    jobs : int, optional
        Children at a time; by default as many as there are cores.
    leave_out : sequence of Path
        Files that are no submissions: the tables of an earlier run.
    done : callable, optional
        Called after each submission with the number that are judged, and of all.

    Raises
    ------
    InputError
        When there is no such folder, or no such exercise.
    """
    if exercise:
        find_exercise(exercise)
    exercises()  # a mistake in an exercise's file is reported once, not in every row
    entries = list(entries_of(folder, leave_out))
    finished = 0
    found = []
    with ThreadPoolExecutor(jobs or os.cpu_count() or 1) as pool:
        for graded in pool.map(lambda entry: _grade_entry(entry, exercise, seconds), entries):
            found.append(graded)
            finished += 1
            if done is not None:
                done(finished, len(entries))
    return tuple(found)


def entries_of(folder: Path, leave_out: Sequence[Path] = ()) -> Iterator[Entry]:
    """Yield the entries of a folder and of folders in it, by name; links are not followed.

    Raises
    ------
    InputError
        When it is no folder, or has too many entries.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: is no folder: give the folder of the submissions")
    omitted = {os.path.realpath(path) for path in leave_out}
    count = 0
    for entry in _entries(folder, folder, 0):
        if os.path.realpath(entry.path.parent) + os.sep + entry.path.name in omitted:
            continue
        count += 1
        if count > _MOST_ENTRIES:
            raise InputError(f"{folder}: has more than {_MOST_ENTRIES:,} files: give the folder of the submissions")
        yield entry


def _entries(folder: Path, top: Path, depth: int) -> Iterator[Entry]:
    try:
        names = sorted(path.name for path in folder.iterdir())
    except OSError as error:
        yield _entry(folder, top, f"the folder cannot be read: {error.strerror}")
        return
    visible = [name for name in names if not name.startswith((".", "__MACOSX"))]
    if not visible and depth:
        yield _entry(folder, top, "the folder is empty")
    for name in visible:
        path = folder / name
        try:
            mode = path.lstat().st_mode
        except OSError as error:
            yield _entry(path, top, f"cannot be read: {error.strerror}")
            continue
        if stat.S_ISLNK(mode):
            yield _entry(path, top, "is a link: links are not followed")
        elif stat.S_ISREG(mode):
            yield _entry(path, top)
        elif not stat.S_ISDIR(mode):
            yield _entry(path, top, "is neither a file nor a folder")
        elif depth == _DEEPEST:
            yield _entry(path, top, f"is a folder in more than {_DEEPEST} others")
        else:
            yield from _entries(path, top, depth + 1)


def _entry(path: Path, top: Path, problem: str = "") -> Entry:
    name = os.fsencode(path.relative_to(top)).decode("utf-8", "replace")
    return Entry("".join(c if c.isprintable() else "�" for c in name), path, problem)


def _grade_entry(entry: Entry, exercise: str, seconds: float) -> GradedEntry:
    if entry.problem:
        return GradedEntry(entry.name, problem=entry.problem)
    try:
        submission = _submission(entry.path, exercise)
    except (InputError, OSError) as error:
        return GradedEntry(entry.name, problem=shorten(str(error)))
    graded = GradedEntry(entry.name, (), shorten(submission.name), shorten(submission.version))
    return _in_child(graded, submission.answers, seconds)


def _submission(path: Path, exercise: str) -> Submission:
    """Read a file of the folder; raises InputError or OSError when it is no submission."""
    if path.suffix == ".cu" and not exercise:
        raise InputError("is a CUDA source: --exercise says which exercise such files answer")
    content = _read(path)
    if path.suffix != ".cu":
        return parse_submission(content)
    if len(content) > MOST_BYTES or b"\0" in content or not content.strip():
        raise InputError("is empty, too large or no text: it is no CUDA source")
    return Submission({exercise: content.decode("utf-8", "replace")}, version="")


def _read(path: Path) -> bytes:
    """Read a regular file, not through a link, and no more than one byte beyond the largest submission."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with open(os.open(path, flags), "rb") as file:  # noqa: PTH123  # a path would be opened through links
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError("it is no file any more")
        return file.read(MOST_BYTES + 1)


def _in_child(graded: GradedEntry, answers: Mapping[str, str], seconds: float) -> GradedEntry:
    """Judge texts in a child process; its output is not trusted either."""
    request = json.dumps({"answers": dict(answers), "seconds": seconds})
    lines, end = Lines(), time.monotonic() + seconds
    try:
        with WorkerProcess(child_command("grade", "--worker"), request, lines) as worker:
            for _ in range(_MOST_LINES):
                received = lines.get(max(0.0, end - time.monotonic()))
                if received is None:
                    return replace(graded, problem=f"was ended after {seconds:g} s: the rest is not judged")
                line = received[1]
                if line is None:
                    status = worker.status()
                    problem = "" if status == 0 else f"the judgement ended early (exit status {status})"
                    return replace(graded, problem=graded.problem or problem)
                graded = _add(graded, line)
    except OSError as error:
        return replace(graded, problem=f"no process can be started: {error.strerror or error}")
    return replace(graded, problem="the judgement printed too much")


def _add(graded: GradedEntry, line: str) -> GradedEntry:
    """Return a row with what a line of a child says."""
    try:
        data: dict[str, Any] = json.loads(line[:_MOST_LINE])
        if "grade" in data:
            return replace(graded, grades=(*graded.grades, Grade.from_json(data["grade"])))
        return replace(graded, problem=shorten(str(data["problem"])))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return replace(graded, problem="the judgement printed something else")


# --- in the child -----------------------------------------------------------------------------------------------


def serve(line: str) -> None:
    """Judge the answers of a line, confined, and print the results."""
    request = json.loads(line)
    answers: dict[str, str] = request["answers"]
    seconds: float = request["seconds"]
    exercises()
    confine(int(seconds) + 1, _MEMORY_BYTES)
    for name, text in answers.items():
        try:
            exercise = find_exercise(name)
        except InputError:
            _print({"problem": f"'{name[:60]}' is no exercise of this version of tilescope"})
            continue
        judgement = judge(exercise, text, seconds=min(_ANSWER_SECONDS, seconds), compiles=False)
        _print({"grade": grade_of(judgement, text, text_hash(text)).to_json()})


def _print(data: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(data) + "\n")
    sys.stdout.flush()
