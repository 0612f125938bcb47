"""Asynchronous copies, pipelines and barriers leave on the GPU what the simulator says."""

from __future__ import annotations

import numpy as np
import pytest

from tests.gpu.apis import both, identical
from tests.kernels.simt.intrinsics import test_async_copies

VALUES = np.random.default_rng(1).standard_normal((128, 4)).astype(np.float32)


STAGES = """
#include <cuda/pipeline>
#include <cuda/barrier>
__global__ void k(const float4 *in, float *out) {
    __shared__ float tile[2][32][4];
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    int t = threadIdx.x;
    if (t == 0) init(&barrier, 32); __syncthreads();
    float sum = 0;
    for (int i = 0, j = 0; i < 4; i++) {
        for (; j < 4 && j < i + 2; j++) {
            pipe.producer_acquire();
            cuda::memcpy_async((float4 *)tile[j % 2][t], in + 32 * j + t, cuda::aligned_size_t<16>(16), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        barrier.arrive_and_wait();
        sum += tile[i % 2][31 - t][i];
        pipe.consumer_release();
        barrier.arrive_and_wait();
    }
    out[t] = sum;
}"""


def test_stages_of_a_pipeline() -> None:
    ours, theirs = both(STAGES, {"in": VALUES, "out": np.zeros(32, np.float32)})
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
    source = """#include <cooperative_groups.h>
    #include <cooperative_groups/memcpy_async.h>
    #include <cuda/barrier>
    namespace cg = cooperative_groups;
    __global__ void k(const float *in, float *out) {
        __shared__ __align__(16) float tile[96];
        auto block = cg::this_thread_block();
        cg::memcpy_async(block, tile, in + blockIdx.x * 96, cuda::aligned_size_t<4>(sizeof(float) * 96));
        cg::wait(block);
        for (int i = threadIdx.x; i < 96; i += 32) out[blockIdx.x * 96 + i] = tile[95 - i]; }"""
    given = {"in": VALUES.reshape(-1)[:480], "out": np.zeros(480, np.float32)}
    ours, theirs = both(source, given, grid=5)
    identical(ours["out"], theirs["out"])
