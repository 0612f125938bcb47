"""A small experiment, and samples as a machine with a GPU would store them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from kernels.bench.measure.environment import Environment
from kernels.bench.sample import Entry, Point, Sample
from kernels.bench.store.database import Row
from kernels.experiments.load import read_experiment
from kernels.launch import Dim3
from kernels.verify import Checks
from kernels.workload import Size
from tests.cases import Cases

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.experiments import Experiment

CASES = Cases(__file__)

H200 = Environment("m", "a CPU", "2", "NVIDIA H200", "1980", "", "", "", "", "", "", "", "")

HEAD = """
title = "T"
question = "Q?"
look_for = ["L"]
source = "S"
gpu = "an old GPU"
"""

WIDTHS = CASES.text("widths.toml")

Make = Callable[..., "Experiment"]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Read an experiment from `HEAD` and more."""

    def read(text: str = WIDTHS) -> Experiment:
        file = tmp_path / "small.toml"
        file.write_text(HEAD + text, encoding="utf-8")
        return read_experiment(file)

    return read


def timed(kernel: str, width: int, n: int, ms: float, *, threads: int = 0, size: Size | None = None) -> Row:
    """One verified time; the rate follows from the median."""
    size = size or Size(n, n, n)
    entry = Entry(kernel, Dim3(width, width) if width else None, threads)
    flops = 2 * size.m * size.n * size.k
    return Row(1, Sample(Point(entry, size), "measured", (ms, ms, ms), 1, flops, "every element"), H200)


def rated(kernel: str, width: int, n: int, gflops: float) -> Row:
    """One verified time, given by its rate."""
    return timed(kernel, width, n, 2 * n**3 / gflops / 1e6)


def checked(kernel: str, n: int, l2: float) -> Row:
    """One result that was compared, not timed."""
    checks = Checks(True, "", "every element", l2=l2)
    point = Point(Entry(kernel, Dim3(8, 8)), Size(n, n, n))
    return Row(1, Sample(point, "checked", checked="every element", checks=checks), H200)


def refused(kernel: str, width: int, n: int) -> Row:
    """One point that no device would run."""
    point = Point(Entry(kernel, Dim3(width, width)), Size(n, n, n))
    return Row(1, Sample(point, "refused", error="too large"), H200)
