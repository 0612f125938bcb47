from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kernels.experiments.load import read_experiment
from tests.gui.measure.quick_worker import quick_worker, waiting_worker

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.experiments import Experiment

__all__ = ["quick_worker", "waiting_worker"]

SMALL = """
title    = "Small"
question = "Does twice n take eight times as long?"
look_for = ["The slope.", "The last point."]
today    = ["Caches are larger."]
source   = "a lecture"
gpu      = "an old GPU"

[x]
name  = "n"
title = "n"
log   = true

[y]
name  = "gflops"
title = "GFLOPS"

[[run]]
kernels = ["cpu_sequential"]
sizes   = { cpu = [8, 16, 32], quick = [8, 16], full = [8, 16, 32] }

[[run]]
kernels = ["matmul_naive"]
widths  = [8]
sizes   = { cpu = [8], quick = [64], full = [64, 128] }

[[curve]]
label = "one core"
where = { kernel = "cpu_sequential" }
x     = [8, 16]
y     = [0.1, 0.2]

[[claim]]
text      = "32 takes longer than 8."
kind      = "ratio"
figure    = "ms"
series    = [{ kernel = "cpu_sequential", n = 32 }, { kernel = "cpu_sequential", n = 8 }]
published = 64
within    = 1000
"""


@pytest.fixture
def small(tmp_path: Path) -> Experiment:
    """A published table that takes a moment on any CPU; one kernel of it needs a GPU."""
    file = tmp_path / "small.toml"
    file.write_text(SMALL, encoding="utf-8")
    return read_experiment(file)


@pytest.fixture
def unpublished(tmp_path: Path) -> Experiment:
    """An experiment without published numbers and claims, for a GPU only."""
    file = tmp_path / "unpublished.toml"
    text = SMALL.replace("x     = [8, 16]\n", "").replace("y     = [0.1, 0.2]\n", "").replace("cpu = [8, 16, 32], ", "")
    file.write_text(text.replace("cpu = [8], ", "").partition("[[claim]]")[0], encoding="utf-8")
    return read_experiment(file)
