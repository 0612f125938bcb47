"""Launches of a user's own file on a GPU: verified against the simulator and timed, in place or not."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from kernels.bench.measure.point import measure
from kernels.bench.plan import Plan, plan_of_launch
from kernels.bench.sample import Entry, Point
from kernels.catalog import FOOTER, find_kernel
from kernels.cli import main
from kernels.launch import Dim3
from kernels.launch_inference.proposals import proposals
from kernels.workload import Size
from tests.cases import Cases

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.bench.sample import Sample

CASES = Cases(__file__)

HOST = """
#include <cstdio>
#include <vector>
int main() { std::vector<float> v(64); squares<<<2, 32>>>(v.data(), Pair(), 64); printf("%f", v[0]); }
"""


def _measured(folder: Path, text: str) -> Sample:
    file = folder / "own.cu"
    file.write_text(text, encoding="utf-8")
    plan = replace(plan_of_launch(proposals(file)[0]), budget_s=0.3)
    sample = measure(plan.points[0], plan, "")
    print(sample.point, sample.error, sample.median_ms, sample.checked)
    return sample


@pytest.mark.parametrize("host", ["", HOST])
def test_a_launch_of_an_own_file_is_verified_and_timed(tmp_path: Path, host: str) -> None:
    sample = _measured(tmp_path, CASES.source("squares") + host)
    assert sample.outcome == "measured", sample.error
    assert sample.checked == "every element, against the simulator"
    assert (sample.gflops, sample.captured) == (None, True)
    assert sample.launches > 1
    assert sample.median_ms
    assert sample.median_ms < 0.1


def test_the_command_line_times_the_launch_that_its_options_give(tmp_path: Path) -> None:
    file = tmp_path / "own.cu"
    file.write_text(CASES.source("squares"), encoding="utf-8")
    values = ("out=f32[96]:uninit", "pair.a=0.5", "pair.b=4", "n=96", "weights=f32[4]:ones")
    words = ("--grid", "3", "--block", "32", "--dynamic-shared", "128", "--budget", "0.3", "--no-store", "--json")
    done = CliRunner().invoke(main, ["bench", str(file), *words, *(w for value in values for w in ("--arg", value))])
    assert done.exit_code == 0, done.stderr
    (sample,) = json.loads(done.stdout)["samples"]
    assert (sample["outcome"], sample["checked"]) == ("measured", "every element, against the simulator")
    assert 0 < sample["median_ms"] < 0.1
    assert sample["gflops"] is None


def test_a_kernel_that_changes_its_input_is_timed_from_the_same_arrays_each_time(tmp_path: Path) -> None:
    sample = _measured(tmp_path, CASES.source("in_place"))
    assert sample.outcome == "measured", sample.error
    assert sample.checked == "every element, against the simulator; arrays restored before every launch"
    assert (sample.launches, sample.captured) == (1, False)


def test_a_described_file_with_host_code_is_measured_over_sizes(tmp_path: Path) -> None:
    kernel = find_kernel("matmul_tiled")
    text = kernel.text.replace("extern", "#include <iostream>\nextern", 1)
    host = (
        'int main() { float *d; cudaMalloc(&d, 4); matmul_tiled<<<1, 1>>>(d, d, d, 1, 1, 1); std::cout << "done"; }\n'
    )
    file = tmp_path / "whole_program.cu"
    file.write_text(text.replace(FOOTER, host + FOOTER), encoding="utf-8")
    point, plan = Point(Entry(str(file), Dim3(16, 16)), Size(512, 512, 512)), Plan((), budget_s=0.3)
    sample = measure(point, plan, "")
    assert sample.outcome == "measured", sample.error
    plain = measure(Point(Entry("matmul_tiled", Dim3(16, 16)), Size(512, 512, 512)), plan, "")
    assert sample.gflops
    assert plain.gflops
    print(sample.gflops, plain.gflops)
    assert 0.9 < sample.gflops / plain.gflops < 1.1
