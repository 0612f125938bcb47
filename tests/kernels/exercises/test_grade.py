"""Grading: hostile submissions, folders as course systems export them, and the reports."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from hatch_build import ROOT
from kernels.child_process import WORKING_FOLDER
from kernels.cli import main
from kernels.exercises import exercises, find_exercise, judge
from kernels.exercises.grade import _ANSWER_SECONDS, _MEMORY_BYTES, _MOST_LINES, SECONDS, entries_of, grade_folder
from kernels.exercises.grade_report import csv_text, html_text
from kernels.exercises.judge import _MOST_BYTES, _MOST_STEPS
from kernels.exercises.submission import Submission, submission_text
from tests.kernels.exercises.answers import solution, wrong_answers
from tests.kernels.exercises.hostile import SECRET, TEXTS, write_folder
from tests.sweeps import exhaustive

if TYPE_CHECKING:
    from pathlib import Path

_QUICK = ("endless_counter", "include_answer", "controls")


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        assert not any(name.startswith("on") or name == "src" for name, _ in attrs)


def _submit(folder: Path, name: str, answers: dict[str, str]) -> None:
    (folder / name).write_text(submission_text(Submission(answers, name)), encoding="utf-8")


def test_the_command_writes_a_row_for_each_entry_and_reads_nothing_beside_the_folder(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, 0)
    for file in folder.glob("hostile_*.json"):
        if file.name.split(".")[0].removeprefix("hostile_") not in (*_QUICK, "names"):
            file.unlink()
    (folder / "person_17" / "answers.tilescope.json").unlink()
    _submit(folder / "person_17", "ada.json", {"guard": solution("guard"), "padding": wrong_answers("padding")[0].text})
    out = tmp_path / "grades"
    result = CliRunner().invoke(main, ["grade", str(folder), "--out", str(out), "--json"])
    assert result.exit_code == 0, result.output
    rows = {row["file"]: row for row in json.loads(result.stdout)["submissions"]}
    assert len(rows) == sum(1 for _ in folder.iterdir())
    assert [grade["passed"] for grade in rows["person_17/ada.json"]["grades"]] == [True, False]
    for name in _QUICK:
        grades = rows[f"hostile_{name}.tilescope.json"]["grades"]
        assert [grade["passed"] for grade in grades] == [False], name
    for name, told in (
        ("random.tilescope.json", "not UTF-8"),
        ("empty.tilescope.json", "empty"),
        ("large.json", "larger than"),
        ("nested.json", "not JSON"),
        ("changed.json", "was changed"),
        ("source.cu", "--exercise"),
        ("empty_folder", "the folder is empty"),
    ):
        assert told in rows[name]["problem"], name
    if os.name != "nt":
        assert all("link" in rows[name]["problem"] for name in rows if name.startswith("link_"))
        assert "neither a file nor a folder" in rows["pipe.tilescope.json"]["problem"]
    table, page = (out.with_suffix(suffix).read_text(encoding="utf-8") for suffix in (".csv", ".html"))
    assert SECRET not in table + page + result.stdout
    assert "\x1b" not in table + page
    cells = [cell for row in csv.reader(io.StringIO(table)) for cell in row]
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in cells)
    tags = _Tags()
    tags.feed(page)
    assert {"table", "section"} <= tags.tags
    assert not tags.tags & {"script", "img", "iframe", "link", "form"}
    assert "&lt;script&gt;" in page


@pytest.mark.parametrize("header", ['"mine.h"', *exhaustive("<mine.h>", "</etc/passwd>", '"/etc/passwd"')])
def test_an_included_file_is_named(tmp_path: Path, header: str) -> None:
    for folder in ("others", "submissions"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.h").write_text("#define MINE 1\n")
    text = f"#include <cuda_runtime.h>\n#include <vector>\n#include {header}\n{solution('guard')}"
    (tmp_path / "submissions" / "ada.cu").write_text(text, encoding="utf-8")
    entries = grade_folder(tmp_path / "submissions", exercise="guard", leave_out=[tmp_path / "submissions" / "mine.h"])
    [grade] = entries[0].grades
    told = (
        f"Line 3, column 10: {header} is not read: this text may include no other file; put its lines here, "
        "or remove the #include."
    )
    assert (grade.passed, grade.findings, grade.line, grade.excerpt) == (False, (told,), 3, f"#include {header}")
    cells = [cell for row in csv.reader(io.StringIO(csv_text(entries, exercises()))) for cell in row]
    assert f"failed: {told}" in cells


def test_an_include_in_a_branch_that_is_not_taken_is_no_mistake() -> None:
    text = f'#ifdef ELSEWHERE\n#include "mine.h"\n#endif\n{solution("guard")}'
    assert judge(find_exercise("guard"), text).passed


def test_a_submission_that_takes_too_long_keeps_what_was_judged(tmp_path: Path) -> None:
    flood = {"guard": TEXTS["flood"]}
    _submit(tmp_path, "slow.json", {"flat_index": solution("flat_index"), **flood})
    [entry] = grade_folder(tmp_path, seconds=1)
    assert "was ended after 1 s" in entry.problem
    assert all(grade.passed for grade in entry.grades)


def test_sources_of_one_exercise_and_the_tables_of_an_earlier_run(tmp_path: Path) -> None:
    (tmp_path / "ada.cu").write_text(solution("guard"), encoding="utf-8")
    (tmp_path / "zoë.cu").write_bytes("// Zoë\n".encode("latin-1") + wrong_answers("guard")[0].text.encode())
    for name in ("grades.csv", "grades.html", ".DS_Store"):
        (tmp_path / name).write_text("of the last run")
    leave_out = (tmp_path / "grades.csv", tmp_path / "grades.html")
    assert [entry.name for entry in entries_of(tmp_path, leave_out)] == ["ada.cu", "zoë.cu"]
    entries = grade_folder(tmp_path, exercise="guard", leave_out=leave_out)
    assert [(entry.passed, len(entry.grades), entry.problem) for entry in entries] == [(1, 1, ""), (0, 1, "")]
    assert "out has 15 elements" in html_text(entries, exercises())
    assert "failed: 4 of 4 sizes right; 1 hazard" in csv_text(entries, exercises())


_CONFINED = """
from kernels.exercises.confinement import confine
import os, socket, subprocess

confine(5, 4 << 30)
print(len(open(os.__file__).read()) > 0)  # Python's own files can be read
for action in (
    lambda: open("/etc/hosts").read(),
    lambda: open("x", "w"),
    lambda: os.system("true"),
    lambda: socket.socket(),
    lambda: subprocess.run(["true"]),
    lambda: os.rename("a", "b"),
    lambda: bytearray(8 << 30),
):
    try:
        action()
        print("allowed")
    except (PermissionError, MemoryError) as error:
        print(type(error).__name__, "confined" in str(error))
"""


@pytest.mark.skipif(os.name == "nt", reason="the limits are those of Unix, and so are the paths")
def test_a_confined_process_cannot_leave_its_work(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _CONFINED],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(WORKING_FOLDER)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.splitlines() == ["True", *["PermissionError True"] * 6, "MemoryError False"]
    assert not list(tmp_path.iterdir())


_LIMITS = """
import json, resource
from kernels.exercises.confinement import confine

names = [name for name in dir(resource) if name.startswith("RLIMIT_")]
limits = lambda: {name: resource.getrlimit(getattr(resource, name))[0] for name in names}
before = limits()
confine(SECONDS, MEMORY)
print(json.dumps([before, limits()]))
"""


def _documented_limits() -> str:
    text = (ROOT / "docs" / "exercises.md").read_text(encoding="utf-8")
    return text.partition("| limit |")[2].partition("\n\n")[0]


def test_the_documented_limits_are_those_of_the_code() -> None:
    table = _documented_limits()
    for words in (
        f"`--seconds`, {SECONDS:g} s by default",
        f"in the simulator: {_ANSWER_SECONDS:g} s",
        f"steps of a run: {_MOST_STEPS:,}; its trace: {_MOST_BYTES >> 20} MiB",
        f"is read: {_MOST_LINES} lines",
        f"memory of the process: {_MEMORY_BYTES >> 30} GiB (`RLIMIT_AS`)",
    ):
        assert words in table


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have fewer limits, or refuse some")
def test_a_confined_process_has_the_documented_limits(tmp_path: Path) -> None:
    seconds, memory = int(SECONDS) + 1, _MEMORY_BYTES
    done = subprocess.run(
        [sys.executable, "-c", _LIMITS.replace("SECONDS", str(seconds)).replace("MEMORY", str(memory))],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(WORKING_FOLDER)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    before, after = json.loads(done.stdout)
    documented = {name: after[name] for name in re.findall(r"RLIMIT_\w+", _documented_limits())}
    assert documented == {"RLIMIT_AS": memory, "RLIMIT_CPU": seconds, "RLIMIT_FSIZE": 0, "RLIMIT_CORE": 0}
    assert {name for name in after if after[name] != before[name]} <= documented.keys()


@pytest.mark.exhaustive
def test_every_hostile_answer_is_one_row(tmp_path: Path) -> None:
    for name, text in TEXTS.items():
        _submit(tmp_path, f"{name}.json", {"guard": text})
    entries = grade_folder(tmp_path)
    assert [entry.file.removesuffix(".json") for entry in entries] == sorted(TEXTS)
    for entry in entries:
        assert not entry.problem, entry
        [grade] = entry.grades
        assert not grade.passed, entry
