"""The README's examples of the command line, on a machine without a GPU."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from PIL import Image

from gui.shell.command import program
from gui.shell.pages import PAGES
from hatch_build import ROOT

if TYPE_CHECKING:
    from pathlib import Path

README = (ROOT / "README.md").read_text(encoding="utf-8")
SECTION = README.partition("## The command line")[2].partition("```")[2].partition("```")[0]
LINES = [line for line in SECTION.splitlines() if line]

WITH_A_GPU = "with a GPU:"
"""Starts the description of an example that needs one."""

NOT_RUN = ("tilescope", "tilescope demo [--headless]", "tilescope verify")
"""They open a window, or take minutes."""

BRIEFLY = {"bench": ("--budget", "0.02")}
"""What a test adds to a command."""

MY_KERNEL = """
__global__ void add(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] + 1.0f;
}
"""


def split(line: str) -> tuple[str, str]:
    """Return an example and its description, which two spaces or more keep apart."""
    example, _, description = re.sub(r" {2,}", "\t", line).partition("\t")
    return example, description


def arguments() -> list[tuple[list[str], bool]]:
    """Return what can be run: the words of each example, and whether it needs a GPU."""
    words_before: list[str] = []
    found = []
    for example, description in map(split, LINES):
        if example in NOT_RUN:
            continue
        words = shlex.split(example)[1:]
        if "…" in words:  # the words of the example before
            at = words.index("…")
            words[at : at + 1] = words_before[at:]
        words_before = words
        found.append((words, description.startswith(WITH_A_GPU)))
    return found


@pytest.mark.usefixtures("measured_here")
@pytest.mark.parametrize(
    ("words", "needs_gpu"), [pytest.param(words, gpu, id=" ".join(words)) for words, gpu in arguments()]
)
def test_each_example_runs_or_says_what_is_missing(
    words: list[str], needs_gpu: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my.cu").write_text(MY_KERNEL, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    if needs_gpu and importlib.util.find_spec("cupy"):
        status, errors = in_a_process(words)
    else:
        done = CliRunner().invoke(program, [*words, *BRIEFLY.get(words[0], ())])
        status, errors = done.exit_code, done.stderr
    assert status == (2 if needs_gpu else 0), errors
    if needs_gpu:
        assert errors.count("\n") == 1
        assert re.search(r"CuPy|GPU|driver", errors)


def in_a_process(words: list[str]) -> tuple[int, str]:
    """Run a command where CUDA has not been initialised yet; return its status and what it writes of errors."""
    done = subprocess.run(
        [sys.executable, "-m", "kernels", *words],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    return done.returncode, done.stderr


def test_the_section_is_found() -> None:
    assert len(LINES) > 15
    assert all(split(line)[0].startswith("tilescope") for line in LINES)
    assert set(NOT_RUN) <= {split(line)[0] for line in LINES}


@pytest.mark.parametrize("name", sorted(set(re.findall(r"docs/pictures/\w+\.png", README))))
def test_the_pictures_show_the_pages_of_today(name: str) -> None:
    """What saves a picture of the window writes the titles of its pages into the file: see `MainWindow.picture`."""
    with Image.open(ROOT / name) as picture:
        assert picture.info.get("pages") == ", ".join(page.title for page in PAGES), f"{name}: see CONTRIBUTING.md"
