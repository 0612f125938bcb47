"""Functions that end without a return: reported where their value is used."""

from __future__ import annotations

import numpy as np

from tests.kernels.simt.programs import trace

_PICK = "__device__ int pick(int i) {{\n  {}\n}}\n"


def test_the_report_names_the_function_and_both_lines() -> None:
    source = _PICK.format("if (i < 3) return i;") + "__global__ void k(int *o) { o[threadIdx.x] = pick(threadIdx.x); }"
    (hazard,) = trace(source, {"o": np.zeros(8, np.int32)}).hazards
    assert (hazard.line, hazard.accesses[0].thread.x) == (4, 3)
    assert "reaches the end of pick (line 1) without a return" in hazard.message
