"""A file that describes no problem: its launch as `tilescope trace` takes it is verified, timed, and has no rate."""

from __future__ import annotations

import json
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from click.testing import CliRunner

from kernels.bench.kernel_texts import at_local_name, local_names, with_texts
from kernels.bench.measure import launch as measure_launch
from kernels.bench.measure.point import measure
from kernels.bench.plan import Plan, plan_of_launch
from kernels.bench.store.database import Row, Store
from kernels.bench.store.run_file import RunFileReader, run_lines, write_lines
from kernels.bench.store.run_header import RunHeader
from kernels.catalog import read_source
from kernels.cli import main
from kernels.cli.launch_options import LaunchRequest
from kernels.custom_launch.model import CustomLaunch, LaunchValue, short_words
from kernels.custom_launch.run import perform, prepare
from kernels.errors import InputError
from kernels.simt import Options
from kernels.verify.simulate import difference
from tests.cases import Cases

if TYPE_CHECKING:
    from click.testing import Result

    from kernels.bench.sample import Sample

    Values = np.ndarray[Any, Any]

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


SCALE = CASES.source("scale")
SCALED_VALUES = (
    LaunchValue("out", "float *", "f32[64]:uninit"),
    LaunchValue("in", "const float *", "f32[64]:iota"),
    LaunchValue("factor", "float", "2.0"),
    LaunchValue("n", "int", "64"),
)


def _launch(folder: Path, text: str = SCALE) -> CustomLaunch:
    file = folder / "mine.cu"
    file.write_text(text, encoding="utf-8")
    return CustomLaunch(file.resolve(), text, "scale", "2", "32", SCALED_VALUES)


class _Gpu:
    """In place of a GPU: a run with these outputs."""

    restores, launches_per_sample, captured = True, 1, False

    def __init__(self, outputs: dict[str, Values]) -> None:
        self._outputs = outputs

    def outputs(self) -> dict[str, Values]:
        return self._outputs

    def sample_ms(self) -> dict[str, float]:
        return {"kernel": 0.5}


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> dict[str, Values]:
    outputs = {"out": 2 * np.arange(64, dtype=np.float32), "in": np.arange(64, dtype=np.float32)}
    monkeypatch.setattr(measure_launch, "PlainRun", lambda *_, **__: nullcontext(_Gpu(outputs)))
    return outputs


def _measured(launch: CustomLaunch) -> Sample:
    plan = replace(plan_of_launch(launch), min_samples=1)
    return measure(plan.points[0], plan, "")


def test_a_launch_is_verified_against_the_simulator_and_has_a_time_and_no_rate(
    tmp_path: Path, gpu: dict[str, Values]
) -> None:
    sample = _measured(_launch(tmp_path))
    assert (sample.outcome, sample.median_ms, sample.gflops) == ("measured", 0.5, None)
    assert sample.checked == "every element, against the simulator; arrays restored before every launch"
    assert str(sample.point) == "mine scale<<<2, 32>>>"


def test_a_result_that_differs_from_the_simulators_has_no_time(tmp_path: Path, gpu: dict[str, Values]) -> None:
    gpu["out"][5] = 11
    sample = _measured(_launch(tmp_path))
    assert (sample.outcome, sample.median_ms) == ("wrong", None)
    assert sample.error == "out[5] is 11.0, but 10.0 in the simulator; 1 of 64 elements differ"


def test_a_kernel_with_a_hazard_is_not_run(tmp_path: Path) -> None:
    sample = _measured(_launch(tmp_path, SCALE.replace("i < n", "i < 2 * n").replace("[i]", "[i + 9]")))
    assert (sample.outcome, sample.median_ms) == ("wrong", None)
    assert sample.error.startswith("not run: out-of-bounds in line 5")


def test_a_launch_that_the_simulator_cannot_finish_is_timed_and_marked(
    tmp_path: Path, gpu: dict[str, Values], monkeypatch: pytest.MonkeyPatch
) -> None:
    launch = _launch(tmp_path, SCALE.replace("factor * in[i]", "0; for (int k = 0; k < 1 << 30; ++k) out[i] += k"))
    missing = measure_launch.reference_of(launch, prepare(launch), fmad=True, seconds=0.0)
    assert missing[0] is None
    monkeypatch.setattr(measure_launch, "reference_of", lambda *_, **__: missing)
    sample = _measured(launch)
    assert (sample.outcome, sample.verified, sample.median_ms, sample.gflops) == ("unverified", False, 0.5, None)
    assert sample.marks[0] == (
        "the result is not verified: there is no reference: the simulator did not finish in 0 s; "
        "a smaller launch can be verified"
    )


def test_a_launch_survives_the_store_a_file_and_another_machine(tmp_path: Path, gpu: dict[str, Values]) -> None:
    launch = _launch(tmp_path)
    sample, plan = _measured(launch), with_texts(plan_of_launch(launch))
    write_lines(tmp_path / "run.jsonl", run_lines(RunHeader.of(plan), [Row(0, sample, None)]))
    assert [row.sample for row in RunFileReader(tmp_path / "run.jsonl")] == [sample]
    with Store(tmp_path / "s.sqlite3") as store:
        store.add(store.begin_run(plan), sample)
        assert [row.sample for row in store.rows(1)] == [sample]
    sent = Plan.from_json(plan.to_json())
    launch.file.unlink()
    with local_names(sent) as names:
        point = replace(sent.points[0], entry=at_local_name(sent.points[0].entry, names))
        assert measure(point, replace(sent, min_samples=1), "").outcome == "measured"


def test_settings_of_a_launch_are_a_text_that_is_read_again(tmp_path: Path) -> None:
    launch = replace(
        _launch(tmp_path), template=(LaunchValue("T", "typename", "float"),), defines="TILE=8", shared="64"
    )
    assert CustomLaunch.of_settings(launch.file, launch.text, launch.settings) == launch
    assert short_words(replace(launch, grid="2,2").settings) == "scale<<<(2,2), 32>>>"
    assert short_words("{}") == "{}"
    with pytest.raises(InputError, match="not the settings of a launch"):
        CustomLaunch.of_settings(launch.file, "", "[]")


@pytest.mark.parametrize(
    ("expected", "found", "words"),
    [
        ([1.0, 1000.0], [1.005, 1000.0], ""),  # within 1e-5 of the largest
        ([1.0, 2.0], [1.0, 2.5], "a[1] is 2.5, but 2.0 in the simulator; 1 of 2 elements differ"),
        ([np.nan, 2.0], [np.nan, 2.0], ""),
        ([1.0, 2.0], [np.nan, 2.0], "a[0] is nan, but 1.0 in the simulator; 1 of 2 elements differ"),
        ([1, 2], [1, 3], "a[1] is 3, but 2 in the simulator; 1 of 2 elements differ"),
        ([1, 2], [1, 2], ""),
    ],
)
def test_results_are_compared_as_their_types_allow(expected: list[float], found: list[float], words: str) -> None:
    dtype = np.int32 if {*map(type, expected)} == {int} else np.float32
    simulated, values = (np.array(each, dtype) for each in (expected, found))
    assert difference({"a": simulated, "variable": simulated}, {"a": values.view(np.uint8)}) == words
