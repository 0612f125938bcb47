"""The examples of docs/recipes.md are complete: the readers of the files accept them, and a kernel runs."""

from __future__ import annotations

import re
from textwrap import dedent
from typing import TYPE_CHECKING, Final

import pytest

from hatch_build import ROOT
from kernels.catalog import read_kernel
from kernels.device import read_device
from kernels.exercises import judge
from kernels.exercises.load import read_exercise
from kernels.lessons import Narrator
from kernels.lessons.load import read_lesson
from kernels.tracing import trace_kernel
from kernels.workload import verify
from kernels.workload.model import Workload

if TYPE_CHECKING:
    from pathlib import Path

RECIPES: Final = (ROOT / "docs/recipes.md").read_text(encoding="utf-8")
FILES: Final = {
    first: text
    for block in re.findall(r"^ *```\w+\n(.*?)^ *```$", RECIPES, re.MULTILINE | re.DOTALL)
    for first, text in re.findall(r"^(?://|#) (\w+/\S+)\n(.*)", dedent(block), re.DOTALL)
}
"""The examples that are whole files, by their paths, which are their first lines."""


def written(folder: Path, path: str) -> Path:
    file = folder / path.rpartition("/")[2]
    file.write_text(FILES[path], encoding="utf-8")
    return file


pytestmark = pytest.mark.skipif(not (ROOT / "kernels").is_dir(), reason="the examples are files of a checkout")


def test_the_example_of_every_recipe_is_found() -> None:
    rooms = {path.rpartition("/")[0] for path in FILES}
    assert len(FILES) == 9
    assert rooms > {"kernels/cuda", "kernels/workload", "gui/measure/results"}
    assert {"resources/devices", "resources/lessons", "resources/exercises"} < rooms


def test_the_kernel_runs_and_is_right(tmp_path: Path) -> None:
    kernel = read_kernel(written(tmp_path, "kernels/cuda/copy_rows.cu"))
    trace = trace_kernel(kernel, kernel.size, kernel.block)
    inputs = kernel.workload.inputs(kernel.size, kernel.workload.fill)
    assert trace.hazards == ()
    assert verify(kernel.workload, kernel.size, inputs, trace.outputs).correct


def test_the_device_is_read(tmp_path: Path) -> None:
    assert read_device(written(tmp_path, "resources/devices/rtx_6000_ada.toml")).arch == "sm_89"


def test_the_lesson_says_its_numbers(tmp_path: Path) -> None:
    lesson = read_lesson(written(tmp_path, "resources/lessons/copies.toml"))
    words = Narrator(lesson).words(lesson.steps[0])
    assert "All 32 threads store" in words.caption
    assert words.asked is not None


def test_the_exercise_is_judged(tmp_path: Path) -> None:
    exercise = read_exercise(written(tmp_path, "resources/exercises/backwards.toml"))
    assert not judge(exercise, exercise.text).passed
    assert judge(exercise, FILES["tests/kernels/exercises/solutions/backwards.cu"]).passed


@pytest.mark.parametrize("path", ["kernels/workload/scale.py", "gui/measure/results/spread.py"])
def test_the_modules_run(path: str) -> None:
    names: dict[str, object] = {"__name__": path.removesuffix(".py").replace("/", ".")}
    exec(compile(FILES[path], path, "exec"), names)
    assert isinstance(names.get("WORKLOAD"), Workload) or "SpreadFigures" in names
