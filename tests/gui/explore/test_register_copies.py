"""Copies that pass through a register: the arrow leads from the element that was read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from gui.explore.stage.build import build_scene
from gui.explore.stage.stage import Stage
from kernels.analysis import Frame
from kernels.catalog import read_kernel
from kernels.tracing import trace_kernel
from tests.gui.explore.conftest import step_on

if TYPE_CHECKING:
    from pathlib import Path

KERNEL = """
extern "C" __global__ void staged(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[2][2];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 2 + ty, col = blockIdx.x * 2 + tx;
    BEFORE
    for (int t = 0; t < (K + 1) / 2; ++t) {
        IN
        __syncthreads();
        AFTER
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = As[ty][tx];
}
/* tilescope
title    = "Staged"
teaches  = "A copy through a register."
workload = "matmul"
size     = [3, 3, 5]
block    = [2, 2]
blocks   = [[2, 2]]
grid     = ["2", "2"]
*/
"""
READ = "(row < M && (TILE) * 2 + tx < K) ? A[row * K + (TILE) * 2 + tx] : 0.0f;"
NEXT = READ.replace("TILE", "t + 1")


def staged(folder: Path, before: str, inside: str, after: str = "") -> Stage:
    text = KERNEL.replace("BEFORE", before).replace("IN\n", f"{inside}\n").replace("AFTER", after)
    file = folder / "staged.cu"
    file.write_text(text, encoding="utf-8")
    kernel = read_kernel(file)
    return Stage(trace_kernel(kernel, kernel.size, kernel.block), kernel.workload.panels)


@pytest.mark.parametrize(
    ("before", "inside", "after"),
    [
        ("", f"float a = {READ.replace('TILE', 't')} As[ty][tx] = a;", ""),
        (f"float a = {READ.replace('TILE', '0')}", "As[ty][tx] = a;", f"a = {NEXT}"),  # read one tile ahead
    ],
)
def test_the_arrow_begins_where_the_value_was_read(tmp_path: Path, before: str, inside: str, after: str) -> None:
    stage = staged(tmp_path, before, inside, after)
    for phase, columns in ((0, [0, 1]), (1, [2, 3]), (2, [4, 5])):
        scene = build_scene(stage, Frame(0, step_on(stage, "As[ty]", nth=phase)))
        (flow,) = scene.flows
        assert flow.source.tolist() == [[0, columns[0]], [0, columns[1]], [1, columns[0]], [1, columns[1]]]
        assert flow.target.tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
        assert flow.zero.tolist() == [False, phase == 2, False, phase == 2]


def test_elements_in_shared_memory_are_marked_in_the_array_they_were_read_from(tmp_path: Path) -> None:
    stage = staged(tmp_path, "", f"float a = {READ.replace('TILE', 't')} As[ty][tx] = a;")
    scene = build_scene(stage, Frame(0, step_on(stage, "C[")))
    a = next(cells for cells in scene.cells if cells.view.name == "A")
    assert np.argwhere(a.in_shared).tolist() == [[0, 4], [1, 4]]


def test_a_value_that_was_computed_is_no_copy(tmp_path: Path) -> None:
    stage = staged(tmp_path, "", f"float a = 1.0f + ({READ.replace('TILE', 't')[:-1]}); As[ty][tx] = a;")
    assert build_scene(stage, Frame(0, step_on(stage, "As[ty]"))).flows == ()
