"""Every kernel that has a file can be looked at: scenes build, fit and carry words, in every variant."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from gui.explore.scene.build import build_scene
from gui.explore.scene.stage import Stage
from kernels.analysis import playlist
from kernels.catalog import Kernel, catalog
from kernels.tracing import trace_kernel
from tests.gui.explore.boxes import boxes, overlap

KERNELS = [v for k in catalog() if k.file is not None for v in k.variants()]
FRAMES = 12
"""Of each run that are looked at, evenly spread."""


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.id)
def test_a_kernel_can_be_looked_at(kernel: Kernel) -> None:
    trace = trace_kernel(kernel, kernel.size, kernel.block)
    stage = Stage(trace, kernel.workload.panels, on_cpu=kernel.runs_on == "cpu")
    frames = playlist(trace, "statement").frames
    shown = set()
    for number in np.unique(np.linspace(0, len(frames) - 1, FRAMES).astype(int)).tolist():
        scene = build_scene(stage, frames[number])
        assert scene.caption
        found = boxes(scene, 1240, 850)
        assert not [pair for pair in itertools.combinations(found, 2) if overlap(*pair)]
        shown |= {cells.view.name for cells in scene.cells}
    assert shown >= {panel.array for panel in kernel.workload.panels}
    assert shown >= {array.name for array in trace.arrays if array.space == "shared"}
