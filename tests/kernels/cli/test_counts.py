"""`trace --counts` and `trace --no-record`: the counts without a trace, and the report without counts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from kernels.cli import main
from kernels.cli import trace as command
from tests.cases import Cases

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

CASES = Cases(__file__)


def run(*words: object) -> Result:
    return CliRunner().invoke(main, ["trace", *map(str, words)])


def test_the_same_counts() -> None:
    words = ("matmul_tiled", "--size", "40", "--block", "16,16", "--json")
    whole, short = (json.loads(run(*words, *more).stdout) for more in ((), ("--counts",)))
    assert short["counts"] == whole["counts"]
    for name in ("kernel", "launch", "hazards"):
        assert short[name] == whole[name]
    assert "output" not in short
    sectors = sum(count.get("sectors", 0) for count in whole["counts"]["arrays"])
    assert short["totals"]["sector_bytes"] == 32 * sectors
    assert short["totals"]["intensity"] == short["totals"]["flops"] / (32 * sectors)


def test_the_summary_of_a_large_launch() -> None:
    result = run("matmul_naive", "--size", "1024", "--block", "16,16", "--counts")
    assert result.exit_code == 0
    assert "counted without a record" in result.stdout
    assert "floating-point operations: 2,147,483,648" in result.stdout
    assert "arithmetic intensity: 0.5 FLOP/byte" in result.stdout
    assert "hazards" not in result.stdout  # nothing is checked


def test_a_limit_ends_the_run_with_the_counts_so_far() -> None:
    result = run("matmul_naive", "--size", "64", "--counts", "--max-steps", "20")
    assert result.exit_code == 1
    assert "stopped after 20 steps" in result.stdout
    assert "A          global   read" in result.stdout


@pytest.mark.parametrize("option", ["--out", "--no-record"])
def test_options_that_need_a_record_are_refused(option: str, tmp_path: Path) -> None:
    values = (tmp_path / "x.trace",) if option == "--out" else ()
    result = run("matmul_tiled", "--counts", option, *values)
    assert result.exit_code == 2
    assert f"--counts records nothing and checks nothing: omit {option}" in result.stderr


def test_the_same_report_but_for_counts(tmp_path: Path) -> None:
    file = tmp_path / "racy.cu"
    file.write_text(CASES.source("racy"), encoding="utf-8")
    words = [file, "--grid", 1, "--block", 64, "--arg", "out=i32[64]:uninit", "--json"]
    whole, short = run(*words), run(*words, "--no-record")
    assert whole.exit_code == short.exit_code == 1
    one, two = json.loads(whole.stdout), json.loads(short.stdout)
    assert {hazard["kind"] for hazard in two["hazards"]} == {"data-race", "result-never-written"}
    for found in (one, two):
        found.pop("elapsed_s")
    one.pop("counts")
    assert one == two


def test_the_summary_says_so() -> None:
    result = run("matmul_tiled", "--no-record")
    assert result.exit_code == 0
    assert "steps, not recorded" in result.stdout
    assert "no hazards" in result.stdout
    assert "requests" not in result.stdout


def test_nothing_to_save(tmp_path: Path) -> None:
    result = run("matmul_tiled", "--no-record", "--out", tmp_path / "x.trace")
    assert result.exit_code == 2
    assert "--no-record leaves nothing to save: omit --out" in result.stderr
    assert not (tmp_path / "x.trace").exists()


def test_a_run_that_outgrows_its_record_goes_on_without_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "_MAX_MEMORY_BYTES", 1 << 20)
    words = ["matmul_naive", "--size", 48, "--block", "16,16", "--json"]
    whole, short = run(*words, "--max-memory", 1 << 30), run(*words)
    assert (whole.exit_code, short.exit_code) == (0, 0)
    one, two = json.loads(whole.stdout), json.loads(short.stdout)
    assert one["output"] == two["output"]
    assert "counts" in one
    assert "counts" not in two
    assert "the record would exceed 1 MiB, so accesses are not counted" in short.stderr


@pytest.mark.parametrize("wish", [("--max-memory", str(1 << 20)), ("--max-steps", "2000000"), ("--out", "x.trace")])
def test_with_a_step_limit_the_record_so_far_is_written(
    wish: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command, "_MAX_MEMORY_BYTES", 1 << 20)
    result = run("matmul_naive", "--size", 48, "--block", "16,16", "--json", *wish)
    found = json.loads(result.stdout)
    assert result.exit_code == 1
    assert found["hazards"][0]["message"].startswith("stopped after recording 1 MiB")
    assert found["counts"]["arrays"]


@pytest.mark.parametrize("option", ["--record", "--no-record"])
def test_a_loop_that_does_not_end(tmp_path: Path, option: str) -> None:
    file = tmp_path / "endless.cu"
    file.write_text("__global__ void k(int *a) { while (true) a[0] = 1; }", encoding="utf-8")
    words = [file, "--grid", 1, "--block", 1, "--arg", "a=i32[1]:zeros", "--max-steps", 50, "--json", option]
    (hazard,) = json.loads(run(*words).stdout)["hazards"]
    assert hazard["kind"] == "budget-exceeded"
    assert "the loop in line 1 `while (true)` ran 25 times for thread (0, 0)" in hazard["message"]
