"""Order between two accesses: small kernels, each with the races that must be reported."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.simt.programs import trace

SOURCE = """
#include <cooperative_groups.h>
__device__ unsigned arrived;
__device__ int mutex;
__global__ void k(int *a, int *b) {{
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    {body}
}}"""

CLEAN = {
    "sum of a warp, read and written apart": """
        __shared__ int s[64];
        s[t] = t;
        __syncthreads();
        if (t < 32) {
            int v = s[t] + s[t + 32];
            __syncwarp();
            s[t] = v;
            __syncwarp();
            v += s[(t + 16) % 32];
            __syncwarp();
            s[t] = v;
            __syncwarp();
        }
        __syncthreads();
        if (t == 0) a[blockIdx.x] = s[0];""",
    "sum of a warp by shuffles": """
        int v = t;
        for (int d = 16; d; d >>= 1) v += __shfl_down_sync(~0u, v, d);
        if (t % 32 == 0) a[i / 32] = v;""",
    "lanes that pass __syncwarp": """
        __shared__ int s[64];
        s[t] = t;
        __syncwarp();
        a[i] = s[t ^ 1];""",
    "halves of a warp, each by itself": """
        __shared__ int s[64];
        s[t] = t;
        if (t % 32 < 16) __syncwarp(0xffff);
        else __syncwarp(0xffff0000);
        a[i] = s[t ^ 1];""",
    "__syncthreads_or": """
        __shared__ int s[64];
        s[t] = t;
        __syncthreads_or(t);
        a[i] = s[63 - t];""",
    "a loop with both barriers": """
        __shared__ int s[64];
        for (int r = 0; r < 3; r++) {
            s[t] = r + t;
            __syncthreads();
            a[i] += s[63 - t];
            __syncthreads();
        }""",
    "two buffers, one barrier a round": """
        __shared__ int s[2][64];
        for (int r = 0; r < 4; r++) {
            s[r & 1][t] = r + t;
            __syncthreads();
            a[i] += s[r & 1][63 - t];
        }""",
    "atomics, a barrier, plain reads": """
        __shared__ int s;
        if (t == 0) s = 0;
        __syncthreads();
        atomicAdd(&s, 1);
        __syncthreads();
        a[i] = s;""",
    "a histogram added to another one": """
        __shared__ int h[8];
        if (t < 8) h[t] = 0;
        __syncthreads();
        atomicAdd(&h[t % 8], 1);
        __syncthreads();
        if (t < 8) atomicAdd(&a[t], h[t]);""",
    "compare and swap until it fits": """
        int old = a[0], as;
        do {
            as = old;
            old = atomicCAS(&a[0], as, as + 1);
        } while (as != old);""",
    "a counter of each block": "atomicAdd_block(&a[blockIdx.x], 1);",
    "atomics of the system": "atomicAdd_system(&a[0], 1);",
    "a counter in shared memory": """
        __shared__ int s;
        if (t == 0) s = 0;
        __syncthreads();
        atomicAdd_block(&s, 1);
        __syncthreads();
        if (t == 0) a[blockIdx.x] = s;""",
    "last block": """
        __shared__ bool last;
        if (t == 0) {
            b[blockIdx.x] = 7;
            __threadfence();
            last = atomicInc(&arrived, gridDim.x) == gridDim.x - 1;
        }
        __syncthreads();
        if (last && t == 0) {
            int s = 0;
            for (int j = 0; j < gridDim.x; j++) s += b[j];
            a[0] = s;
        }""",
    "last block all threads fence": """
        __shared__ bool last;
        b[i] = 7;
        __threadfence();
        __syncthreads();
        if (t == 0) last = atomicInc(&arrived, gridDim.x) == gridDim.x - 1;
        __syncthreads();
        if (last) {
            int s = b[t] + b[64 + t];
            a[t] = s;
        }""",
    "last block fence by one after barrier": """
        __shared__ bool last;
        b[i] = 7;
        __syncthreads();
        if (t == 0) {
            __threadfence();
            last = atomicInc(&arrived, gridDim.x) == gridDim.x - 1;
        }
        __syncthreads();
        if (last) {
            int s = b[t] + b[64 + t];
            a[t] = s;
        }""",
    "a fence of the system": """
        __shared__ bool last;
        if (t == 0) {
            b[blockIdx.x] = 7;
            __threadfence_system();
            last = atomicInc(&arrived, gridDim.x) == gridDim.x - 1;
        }
        __syncthreads();
        if (last && t == 0) {
            a[0] = b[0] + b[1];
        }""",
    "lock by exch": """
        if (t == 0) {
            while (atomicExch(&mutex, 1));
            __threadfence();
            a[0]++;
            __threadfence();
            atomicExch(&mutex, 0);
        }""",
    "lock block scope in block": """
        if (t % 32 == 0) {
            int *l = &b[blockIdx.x];
            while (atomicCAS_block(l, 0, 1));
            __threadfence_block();
            a[blockIdx.x]++;
            __threadfence_block();
            atomicExch_block(l, 0);
        }""",
    "lock whole block": """
        __shared__ int go;
        if (t == 0) {
            while (atomicCAS(&mutex, 0, 1));
            __threadfence();
        }
        __syncthreads();
        a[t]++;
        __syncthreads();
        if (t == 0) {
            __threadfence();
            atomicExch(&mutex, 0);
        }""",
    "places drawn by an atomic": """
        int me = atomicAdd(b, 1);
        a[me] = t;""",
    "a barrier of the grid": """
        a[i] = 1;
        cooperative_groups::this_grid().sync();
        b[i] = a[(i + 64) % 128];""",
}

RACES = {
    "sum of a warp without __syncwarp": """
        __shared__ volatile int s[64];
        s[t] = t;
        __syncthreads();
        if (t < 32) {
            s[t] += s[t + 32];
            s[t] += s[t + 16];
            s[t] += s[t + 8];
        }
        if (t == 0) a[blockIdx.x] = s[0];""",
    "a shuffle": """
        __shared__ int s[64];
        s[t] = t;
        __shfl_sync(~0u, t, 0);
        a[i] = s[t ^ 1];""",
    "a vote": """
        __shared__ int s[64];
        s[t] = t;
        __ballot_sync(~0u, 1);
        a[i] = s[t ^ 1];""",
    "__syncwarp and another warp": """
        __shared__ int s[64];
        s[t] = t;
        __syncwarp();
        a[i] = s[63 - t];""",
    "halves of a warp, read across": """
        __shared__ int s[64];
        s[t] = t;
        if (t % 32 < 16) __syncwarp(0xffff);
        else __syncwarp(0xffff0000);
        a[i] = s[t ^ 16];""",
    "a loop without its second barrier": """
        __shared__ int s[64];
        for (int r = 0; r < 3; r++) {
            s[t] = r + t;
            __syncthreads();
            a[i] += s[63 - t];
        }""",
    "atomics and plain reads": """
        __shared__ int s;
        if (t == 0) s = 0;
        __syncthreads();
        atomicAdd(&s, 1);
        a[i] = s;""",
    "atomics and a plain beginning": """
        __shared__ int s;
        if (t == 0) s = 0;
        atomicAdd(&s, 1);
        __syncthreads();
        a[i] = s;""",
    "a histogram added plainly to another one": """
        __shared__ int h[8];
        if (t < 8) h[t] = 0;
        __syncthreads();
        atomicAdd(&h[t % 8], 1);
        __syncthreads();
        if (t < 8) a[t] += h[t];""",
    "a counter of all blocks, atomic in each": "atomicAdd_block(&a[0], 1);",
    "a counter of two scopes": """
        if (blockIdx.x) atomicAdd(&a[0], 1);
        else atomicAdd_block(&a[0], 1);""",
    "last block fence before barrier only own": """
        __shared__ bool last;
        b[i] = 7;
        if (t == 0) {
            __threadfence();
            last = atomicInc(&arrived, gridDim.x) == gridDim.x - 1;
        }
        __syncthreads();
        if (last) {
            int s = b[t] + b[64 + t];
            a[t] = s;
        }""",
    "last block no barrier of flag": """
        __shared__ bool last;
        if (t == 0) {
            b[blockIdx.x] = 7;
            __threadfence();
            last = atomicInc(&arrived, gridDim.x) == gridDim.x - 1;
        }
        if (last && t == 0) a[0] = b[0] + b[1];
        a[128 + i] = last;""",
    "last block fence_block": """
        __shared__ bool last;
        if (t == 0) {
            b[blockIdx.x] = 7;
            __threadfence_block();
            last = atomicInc(&arrived, gridDim.x) == gridDim.x - 1;
        }
        __syncthreads();
        if (last && t == 0) {
            a[0] = b[0] + b[1];
        }""",
    "last block atomic_block": """
        __shared__ bool last;
        if (t == 0) {
            b[blockIdx.x] = 7;
            __threadfence();
            last = atomicInc_block(&arrived, gridDim.x) == gridDim.x - 1;
        }
        __syncthreads();
        if (last && t == 0) {
            a[0] = b[0] + b[1];
        }""",
    "lock no fences": """
        while (atomicCAS(&mutex, 0, 1));
        a[0]++;
        atomicExch(&mutex, 0);""",
    "lock then access outside": """
        if (t == 0) {
            while (atomicCAS(&mutex, 0, 1));
            __threadfence();
            a[0]++;
            __threadfence();
            atomicExch(&mutex, 0);
            a[0]++;
        }""",
    "two locks": """
        if (t == 0) {
            int *l = &b[blockIdx.x];
            while (atomicCAS(l, 0, 1));
            __threadfence();
            a[0]++;
            __threadfence();
            atomicExch(l, 0);
        }""",
    "lock whole block no fence": """
        if (t == 0) {
            while (atomicCAS(&mutex, 0, 1));
        }
        __syncthreads();
        a[t]++;
        __syncthreads();
        if (t == 0) {
            __threadfence();
            atomicExch(&mutex, 0);
        }""",
    "a barrier of the block only": """
        a[i] = 1;
        __syncthreads();
        b[i] = a[(i + 64) % 128];""",
}


def kinds(body: str, schedule: str) -> set[str]:
    given = {"a": np.zeros(256, np.int32), "b": np.zeros(256, np.int32)}
    found = trace(SOURCE.format(body=body), given, grid=(2,), block=(64,), schedule=schedule)
    return {hazard.kind for hazard in found.hazards}


@pytest.mark.parametrize("schedule", ["lockstep", "shuffle:7"])
@pytest.mark.parametrize("body", CLEAN.values(), ids=CLEAN.keys())
def test_ordered(body: str, schedule: str) -> None:
    assert kinds(body, schedule) == set()


@pytest.mark.parametrize("schedule", ["lockstep", "shuffle:7"])
@pytest.mark.parametrize("body", RACES.values(), ids=RACES.keys())
def test_not_ordered(body: str, schedule: str) -> None:
    assert kinds(body, schedule) == {"data-race"}
