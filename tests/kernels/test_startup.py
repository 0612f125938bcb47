"""The start of the command: exit statuses that are not a command's own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from kernels import startup
from kernels.child_process import WORKING_FOLDER
from tests.sweeps import exhaustive

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def run(arguments: Sequence[str], folder: Path, *search: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder, with these folders in PYTHONPATH."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, search)), **variables},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def here(tmp_path: Path) -> Path:
    folder = tmp_path / "here"
    folder.mkdir()
    return folder


def write(folder: Path, file: str, text: str) -> None:
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    (folder / file).write_text(text, encoding="utf-8")


@pytest.mark.parametrize("failing", ["def main(prog_name):\n    raise ValueError('not\\nhandled')", "1/0"])
def test_an_unexpected_exception_is_one_line_with_a_status_of_its_own(here: Path, failing: str) -> None:
    write(here, "failing.py", failing)
    command = ["-c", "from kernels.startup import start; start('failing')"]
    done = run(command, here, here, WORKING_FOLDER)
    assert done.returncode == startup.INTERNAL_ERROR
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("tilescope: internal error: ")
    assert done.stderr.endswith("; set TILESCOPE_TRACEBACK=1 to see where\n")
    again = run(command, here, here, WORKING_FOLDER, TILESCOPE_TRACEBACK="1")
    assert again.returncode == startup.INTERNAL_ERROR
    assert "Traceback" in again.stderr
    assert "failing.py" in again.stderr


def test_an_interrupt_while_modules_are_imported_has_the_status_that_shells_report(here: Path) -> None:
    write(here, "failing.py", f"import signal; signal.raise_signal({int(signal.SIGINT)})")
    done = run(["-c", "from kernels.startup import start; start('failing')"], here, here, WORKING_FOLDER)
    assert (done.returncode, done.stderr) == (startup.INTERRUPTED, "")


@pytest.mark.skipif(sys.platform == "win32", reason="a closed pipe is another error there")
@pytest.mark.parametrize(
    "arguments",
    [["--help"], *exhaustive(["bench", "--help"], ["kernels"], ["devices", "--json"]), ["trace", "hello_grid"]],
)
def test_a_reader_that_ends_first_is_no_hazard(arguments: list[str]) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "kernels", *arguments],
            stdout=theirs,
            stderr=subprocess.PIPE,
            cwd=WORKING_FOLDER,
            timeout=60,
            check=False,
        )
    finally:
        os.close(theirs)
    assert (done.returncode, done.stderr) == (startup.OUTPUT_CLOSED, b"")
