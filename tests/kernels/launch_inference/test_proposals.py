"""Proposed values of kernels as students write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kernels.launch_inference.proposals import proposals

if TYPE_CHECKING:
    from pathlib import Path

REDUCTION = """
__global__ void reduce(const float *in, float *out) {
    extern __shared__ float s[];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
"""
HISTOGRAM = """
__global__ void histogram(const int *in, int *bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[in[i] % 8], 1);
}
"""
BOX = """
__global__ void half(const float *in, float *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 6 && y < 5 && z < 4) out[(z * 5 + y) * 6 + x] = 0.5f * in[(z * 5 + y) * 6 + x];
}
"""
HEAT = """
__global__ void heat(const float *in, float *out, int nx, int ny, int nz) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < nx && y < ny && z < nz) out[(z * ny + y) * nx + x] = 0.5f * in[(z * ny + y) * nx + x];
}
"""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (REDUCTION, ("grid 2, block 64, 256 bytes of shared memory",)),  # and not more than the kernel accesses
        (HISTOGRAM, ("bins = i32[8]:zeros",)),
        (BOX, ("grid 2,2,2, block 4,4,2", "in = f32[120]:randint(1,9,1)", "out = f32[120]:uninit")),
        (HEAT, ("grid 2,2,2, block 4,4,2", "in = f32[126]:randint(1,9,1)", "nx = 7, ny = 6, nz = 3")),
    ],
    ids=["dynamic shared memory", "sums", "space", "lengths of a space"],
)
def test_proposed_values_fit_what_the_kernel_does(tmp_path: Path, text: str, words: tuple[str, ...]) -> None:
    file = tmp_path / "own.cu"
    file.write_text(text, encoding="utf-8")
    found = proposals(file)[0].words
    assert all(part in found for part in words)
