"""Asynchronous copies, pipelines and barriers leave on the GPU what the simulator says."""

from __future__ import annotations

import numpy as np
import pytest

from tests.cases import Cases
from tests.gpu.apis import both, identical
from tests.kernels.simt.intrinsics import test_async_copies
from tests.kernels.simt.libraries.libcudacxx import test_pipelines

CASES = Cases(__file__)

VALUES = np.random.default_rng(1).standard_normal((128, 4)).astype(np.float32)


def test_stages_of_a_pipeline() -> None:
    start = test_pipelines.START.format(count=32)
    source = test_pipelines.STAGES.format(start=start, wait="pipe.consumer_wait();")
    ours, theirs = both(source, {"in": VALUES, "out": np.zeros(32, np.float32)})
    identical(ours["out"], theirs["out"])


@pytest.mark.parametrize("words", [test_async_copies.PTX, test_async_copies.CALLS])
def test_copies_of_a_thread(words: dict[str, str]) -> None:
    source = f"""#include <cuda_pipeline_primitives.h>
    __global__ void k(const float *A, float *out) {{
        __shared__ __align__(16) float s[128]; int t = threadIdx.x;
        {test_async_copies.ADDRESS}
        {words["copy"]} {words["commit"]} {words["wait"]} __syncthreads();
        for (int i = t; i < 128; i += 32) out[i] = s[127 - i]; }}"""
    given = {"A": VALUES.reshape(-1)[:128], "out": np.zeros(128, np.float32)}
    ours, theirs = both(source, given)
    identical(ours["out"], theirs["out"])


def test_copies_of_a_group() -> None:
    source = CASES.source("copies_of_a_group")
    given = {"in": VALUES.reshape(-1)[:480], "out": np.zeros(480, np.float32)}
    ours, theirs = both(source, given, grid=5)
    identical(ours["out"], theirs["out"])
