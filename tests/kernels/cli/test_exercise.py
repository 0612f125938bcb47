"""`tilescope exercise`: list, show, check and submit."""

from __future__ import annotations

import json
import os
import shlex
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from kernels.cli import main
from kernels.exercises import find_exercise, progress
from kernels.exercises.progress import Progress, write_progress
from kernels.exercises.submission import parse_submission
from tests.cases import Cases
from tests.kernels.exercises.answers import solution
from tests.kernels.exercises.timing_worker import faster, worker

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

CASES = Cases(__file__)


@pytest.fixture(autouse=True)
def remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "data" / "exercises.json"
    monkeypatch.setattr(progress, "default_path", lambda: path)
    return path


def _run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["exercise", *map(str, arguments)])


@pytest.mark.skipif(os.name == "nt", reason="words are quoted for a POSIX shell elsewhere")
def test_the_command_that_checks_a_file_can_be_pasted_into_a_shell(tmp_path: Path) -> None:
    file = tmp_path / "week 3; $HOME's" / "mine.cu"
    file.parent.mkdir()
    shown = _run("show", "guard", "--out", file).output
    program, *words = shlex.split(shown.partition("Check it with: ")[2])
    assert (program, *words) == ("tilescope", "exercise", "check", "guard", str(file))
    assert CliRunner().invoke(main, words).exit_code == 1


def test_from_the_given_source_to_an_answer_that_passes(tmp_path: Path) -> None:
    file = tmp_path / "mine.cu"
    shown = _run("show", "guard", "--hint", "1", "--out", file)
    assert shown.exit_code == 0, shown.output
    assert "Threads beyond the last element do nothing." in shown.output
    assert "Hint 1: " in shown.output
    assert "Hint 2" not in shown.output
    again = _run("show", "guard", "--out", file)
    assert again.exit_code == 2
    assert "so that no answer is lost" in again.output

    as_json = json.loads(_run("show", "guard", "--json").output)
    assert as_json["given"].lstrip("\n") == file.read_text(encoding="utf-8")

    failed = _run("check", "guard", file)
    assert failed.exit_code == 1
    assert "4 of 4 sizes right; 1 hazard" in failed.output
    assert "✗ Hazards: 1 (none allowed)" in failed.output

    file.write_text(solution("guard"), encoding="utf-8")
    passed = _run("check", "guard", file, "--json")
    assert passed.exit_code == 0
    assert json.loads(passed.output)["passed"] is True


def test_a_submission_takes_files_or_what_was_done_in_the_window(tmp_path: Path, remembered: Path) -> None:
    file, out = tmp_path / "guard.cu", tmp_path / "ada.tilescope.json"
    file.write_text("no kernel", encoding="utf-8")
    assert "there is no answer yet" in _run("submit", "--name", "Ada", "--out", out).output
    result = _run("submit", f"guard={file}", "--name", "Ada", "--out", out)
    assert result.exit_code == 0, result.output
    assert "1 answer, of which 0 pass" in result.output
    assert "guard does not pass yet" in result.output
    right = solution("guard")
    write_progress(Progress().judged("guard", right, passed=True).judged("guard", "later", passed=False), remembered)
    assert _run("list").output.count("✓") == 1
    assert "1 answer, of which 1 pass" in _run("submit", "--name", "Ada", "--out", out).output
    submission = parse_submission(out.read_bytes())
    assert (submission.name, dict(submission.answers)) == ("Ada", {"guard": right})


def test_an_answer_is_timed_where_a_gpu_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The exit status is that of the other gates."""
    file = tmp_path / "coalesce.cu"
    file.write_text(solution("coalesce"), encoding="utf-8")
    assert "as fast as given, with --on-gpu" in _run("show", "coalesce").output
    monkeypatch.setattr("kernels.gpu.device.missing", lambda: "")
    monkeypatch.setattr("kernels.bench.hosts.supervise.worker_command", lambda: worker(faster(0.5)))
    slower = _run("check", "coalesce", file, "--on-gpu")
    assert slower.exit_code == 0
    assert "✗ Time on NVIDIA Test, at 2048×2048×2048 in blocks of 16×16: 0.5× as fast" in slower.output
    assert json.loads(_run("check", "coalesce", file, "--on-gpu", "--json").output)["on_gpu"]["outcome"] == "slower"
    file.write_text(find_exercise("coalesce").text, encoding="utf-8")
    assert (
        "– Time on a GPU, at 2048×2048×2048 in blocks of 16×16: not reached"
        in _run("check", "coalesce", file, "--on-gpu").output
    )


def test_without_a_gpu_the_reason_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("kernels.gpu.device.missing", lambda: "the NVIDIA driver sees no GPU in this machine")
    result = _run("check", "coalesce", tmp_path / "any.cu", "--on-gpu")
    assert result.exit_code == 2
    assert result.output == "tilescope: --on-gpu: the NVIDIA driver sees no GPU in this machine\n"


@pytest.mark.parametrize(("arguments", "told"), CASES("mistakes_are_one_line", tuples=True))
def test_mistakes_are_one_line(arguments: tuple[str, ...], told: str) -> None:
    result = _run(*arguments)
    assert result.exit_code == 2
    assert told in result.output
    assert result.output.count("\n") == 1
