"""`tilescope bench` and `plan` of a file without a tilescope comment: the launch as `tilescope trace` takes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from kernels.bench.kernel_texts import with_texts
from kernels.bench.plan import Plan, plan_of_launch
from kernels.catalog import read_source
from kernels.cli import main
from kernels.cli.launch_options import LaunchRequest
from kernels.custom_launch.model import CustomLaunch, LaunchValue
from kernels.custom_launch.run import perform
from kernels.errors import InputError
from kernels.simt import Options
from tests.cases import Cases

if TYPE_CHECKING:
    from click.testing import Result

CASES = Cases(__file__)

VALUES = ("out=f32[64]:uninit", "in=f32[64]:iota", "factor=2.0", "n=64")
WORDS = ("--grid", "2", "--block", "32", *(word for value in VALUES for word in ("--arg", value)))


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own.cu").write_text(CASES.source("own"), "utf-8")
    monkeypatch.chdir(tmp_path)


def _run(*words: str) -> Result:
    return CliRunner().invoke(main, words)


def _planned(*words: str) -> Plan:
    done = _run("plan", *words, "--folder", "planned")
    assert (done.exit_code, done.stderr) == (0, "")
    return Plan.from_json(json.loads(Path("planned/plan.json").read_text("utf-8")))


def test_the_plan_is_that_of_the_window() -> None:
    kinds = ("float *", "const float *", "float", "int")
    values = tuple(
        LaunchValue(text.partition("=")[0], kind, text.partition("=")[2])
        for text, kind in zip(VALUES, kinds, strict=True)
    )
    shown = CustomLaunch(Path("own.cu").resolve(), CASES.source("own"), "scale", "2", "32", values)
    plan = _planned("./own.cu", *WORDS)
    assert plan.points == plan_of_launch(shown).points
    assert [str(point) for point in plan.points] == ["own scale<<<2, 32>>>"]


def test_macros_folders_template_and_members_of_structs_reach_the_run() -> None:
    file, folder = Path("template.cu"), Path("include")
    file.write_text(CASES.source("template"), "utf-8")
    folder.mkdir()
    (folder / "side.h").write_text("#define SIDE 3\n", "utf-8")
    values = ("out=i32[4]:uninit", "pair.a=0.5", "pair.b=8")
    request = LaunchRequest("fill", "1x1", values, ("SUM=2 + 3",), (folder,), ("T=int", "N=2"), 16)
    launch = request.launch_of(file, "1,4")
    assert (launch.grid, launch.block, launch.values[1].kind) == ("1", "1,4", "Pair")
    read = CustomLaunch.of_settings(launch.file, read_source(file), launch.settings)
    assert read == launch
    assert perform(read, Options()).outputs["out"].tolist() == [34] * 4
    with pytest.raises(InputError, match="other machines do not have the folders of -I: measure it here"):
        with_texts(plan_of_launch(launch))


@pytest.mark.parametrize("command", ["bench", "plan"])
@pytest.mark.parametrize(("words", "message"), CASES("what_is_missing_or_contradicts"))
def test_what_is_missing_or_contradicts_is_one_line_without_a_gpu(command: str, words: str, message: str) -> None:
    Path("other.cu").write_text(CASES.source("own"), "utf-8")
    done = _run(command, *words.split())
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith(f"tilescope: {message}")


def test_a_launch_that_no_device_allows_is_refused() -> None:
    done = _run("bench", "own.cu", *(word.replace("32", "2048") if word == "32" else word for word in WORDS))
    assert (done.exit_code, done.stderr) == (2, "tilescope: block.x = 2,048 exceeds the device's limit of 1,024\n")


def test_a_plan_file_takes_no_launch() -> None:
    _planned("own.cu", *WORDS)
    done = _run("bench", "planned/plan.json", "--grid", "3")
    assert done.exit_code == 2
    assert done.stderr.startswith("tilescope: a plan file says what to measure")


def test_the_options_of_a_launch_read_alike_in_every_command() -> None:
    def described(command: str) -> set[str]:
        lines = _run(command, "--help").stdout.partition("Options:")[2].split("\n  --")
        texts = (" ".join(line.split()) for line in lines)
        return {text for text in texts if text.startswith(("kernel", "grid", "arg", "template", "dynamic-shared"))}

    assert len(described("trace")) == 5
    assert described("bench") == described("plan") == described("trace")
