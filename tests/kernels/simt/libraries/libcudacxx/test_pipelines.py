"""Pipelines of a thread and barriers of a block, as `cuda/pipeline` and `cuda/barrier` have them."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.simt import Unwritten
from tests.kernels.simt.programs import trace

STAGES = """
#include <cuda/pipeline>
#include <cuda/barrier>
__global__ void k(const float4 *in, float *out) {{
    __shared__ float tile[2][32][4];
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    int t = threadIdx.x;
    {start}
    float sum = 0;
    for (int i = 0, j = 0; i < 4; i++) {{
        for (; j < 4 && j < i + 2; j++) {{
            pipe.producer_acquire();
            cuda::memcpy_async((float4 *)tile[j % 2][t], in + 32 * j + t, cuda::aligned_size_t<16>(16), pipe);
            pipe.producer_commit();
        }}
        {wait}
        barrier.arrive_and_wait();
        sum += tile[i % 2][31 - t][i];
        pipe.consumer_release();
        barrier.arrive_and_wait();
    }}
    out[t] = sum;
}}"""
START = "if (t == 0) init(&barrier, {count}); __syncthreads();"


@pytest.mark.parametrize(
    ("start", "wait", "kinds"),
    [
        (START.format(count="blockDim.x"), "pipe.consumer_wait();", set()),
        (
            START.format(count=32),
            "if (i < 3) cuda::pipeline_consumer_wait_prior<1>(pipe); else cuda::pipeline_consumer_wait_prior<0>(pipe);",
            set(),
        ),
        (START.format(count=32), "", {"data-race"}),
        (START.format(count=16), "pipe.consumer_wait();", {"data-race"}),
        (START.format(count=64), "pipe.consumer_wait();", {"barrier-divergence"}),
        ("if (t == 0) init(&barrier, 32);", "pipe.consumer_wait();", {"data-race"}),
        ("", "pipe.consumer_wait();", {"uninitialised-read", "barrier-divergence"}),
    ],
)
def test_stages(start: str, wait: str, kinds: set[str]) -> None:
    given = np.arange(512, dtype=np.float32).reshape(128, 4)
    found = trace(STAGES.format(start=start, wait=wait), {"in": given, "out": Unwritten("float32", (32,))}, block=(32,))
    assert {hazard.kind for hazard in found.hazards} == kinds
    if not kinds:
        rows = given.reshape(4, 32, 4)
        assert found.outputs["out"].tolist() == sum(rows[i, ::-1, i] for i in range(4)).tolist()  # type: ignore[union-attr]
