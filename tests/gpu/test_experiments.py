"""Experiments on the GPU: the boundary at every element, and results compared with the sequential ones."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
from click.testing import CliRunner

from kernels.bench.measure.point import build
from kernels.bench.sample import Entry, Point
from kernels.catalog import find_kernel
from kernels.cli import main
from kernels.experiments import experiment_plan, find_experiment
from kernels.experiments.plan import this_machine
from kernels.launch import Dim3
from kernels.workload import Size

if TYPE_CHECKING:
    from pathlib import Path


def test_the_boundary_is_right_at_every_element() -> None:
    """Sums of products of 0, 1, 2 and 0, 1, 2, 3 are whole numbers far below 2^24: there is nothing to round."""
    plan, _ = experiment_plan(find_experiment("boundary"), "quick", this_machine())
    kernel, point = (
        find_kernel("matmul_tiled"),
        Point(Entry("matmul_tiled", Dim3(32, 32)), Size(2051, 1027, 2051)),
    )
    assert point in plan.points
    inputs = kernel.workload.inputs(point.size, plan.fill)
    with build(kernel, point, plan, inputs) as run:
        found = run.outputs()["C"].reshape(2051, 1027)
    exact = inputs["A"].astype(np.float64) @ inputs["B"].astype(np.float64)
    assert exact.max() < 2**24
    assert np.array_equal(found, exact)


def test_sanity_agrees_for_what_sums_in_order(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        main, ["experiment", "mmt_sanity", "--sizes", "20,100", "--json", "--store", str(tmp_path / "s")]
    )
    data = json.loads(done.stdout)
    assert data["environment"]["gpu"]
    verdicts = {claim["text"][:2]: claim["verdict"] for claim in data["claims"] if "nowhere" in claim["text"]}
    assert verdicts == {"v1": "agrees", "v5": "agrees", "v6": "agrees"}
    assert {sample["outcome"] for sample in data["samples"]} == {"checked"}
