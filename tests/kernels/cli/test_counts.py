"""`trace --counts`: the counts of a trace, without one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from kernels.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result


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
