"""Correct kernels, and the same ones with one subtle error: the report under every schedule."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.simt.programs import trace

RACE = {"data-race"}
HEADERS = (
    "#include <cooperative_groups.h>\n#include <cuda/atomic>\n#include <cuda/barrier>\n#include <cuda_pipeline.h>\n"
    "namespace cg = cooperative_groups;\n"
)

SHARED = "__shared__ int s[64]; int t = threadIdx.x; "
BUFFERS = (
    "__shared__ int s[2][64]; int t = threadIdx.x, sum = 0;\n"
    "for (int i = 0; i < 4; ++i) { s[i {which}][t] = a[i * 64 + t]; __syncthreads(); sum += s[i {which}][63 - t]; }\n"
    "o[t] = sum;"
)
HALO = (
    "__shared__ int s[66]; int t = threadIdx.x, g = blockIdx.x * 64 + t; s[t + 1] = a[g];\n"
    "if (t == 0) s[0] = g > 0 ? a[g - 1] : 0;\nif (t == {last}) s[65] = a[g + 1];\n"
    "__syncthreads(); o[g] = s[t] + s[t + 2];"
)
SCAN = (
    "__shared__ int s[32]; int t = threadIdx.x % 32; if (threadIdx.x > 31) return; s[t] = a[t]; __syncwarp();\n"
    "for (int d = 1; d < 32; d *= 2) { int x = t >= d ? s[t - d] : 0; {between} s[t] += x; __syncwarp(); } o[t] = s[t];"
)
STAGES = (
    "__shared__ int s[3][64]; int t = threadIdx.x, sum = 0;\nfor (int p = 0; p < 2; ++p) {\n"
    "__pipeline_memcpy_async(&s[p][t], &a[p * 64 + t], 4); __pipeline_commit(); }\n"
    "for (int i = 0; i < 4; ++i) { __pipeline_wait_prior({behind}); __syncthreads(); sum += s[i % {stages}][63 - t];\n"
    "if (i < 2) __pipeline_memcpy_async(&s[(i + 2) % {stages}][t], &a[(i + 2) * 64 + t], 4);\n"
    "__pipeline_commit(); } o[t] = sum;"
)
LAST = (
    "__shared__ bool last; int t = threadIdx.x; o[64 + blockIdx.x * 64 + t] = a[t]; {all} __syncthreads();\n"
    "if (t == 0) { {one} last = {count}(&c[0], 1) == gridDim.x - 1; } __syncthreads();\n"
    "if (last) { int x = 0; for (int b = 0; b < gridDim.x; ++b) x += o[64 + b * 64 + t]; o[t] = x; }"
)
LOCK = "if (threadIdx.x == 0) { while (atomicCAS(&c[0], 0, 1) != 0); {taken} c[1] += 1; {done} {free}; }"
FLAG = (
    "int t = threadIdx.x; if (blockIdx.x == 0) { o[t] = t; __threadfence(); __syncthreads();\n"
    "if (t == 0) atomicExch(&c[0], 1); }\nelse { if (t == 0) { while (atomicAdd(&c[0], 0) == 0); __threadfence(); }\n"
    "{barrier} o[64 + t] = o[63 - t]; }"
)
PHASE = (
    "__shared__ cuda::barrier<cuda::thread_scope_block> b; " + SHARED + "if (t == 0) init(&b, blockDim.x{more});\n"
    "__syncthreads(); s[t] = a[t]; {meet} o[t] = s[63 - t];"
)
LEADER = (
    "unsigned m = __ballot_sync(~0u, threadIdx.x & 1); if (threadIdx.x & 1) {\n"
    "int lane = threadIdx.x % 32, first = __ffs(m) - 1, base = 0;\n"
    "if (lane == first) base = atomicAdd(&c[0], __popc(m));\n"
    "base = __shfl_sync({mask}, base, first); o[base + __popc(m & ((1u << lane) - 1)){off}] = threadIdx.x; }"
)


def _with(text: str, **words: str) -> str:
    for name, word in words.items():
        text = text.replace(f"{{{name}}}", word)
    return text


@pytest.mark.parametrize("schedule", ["lockstep", "reversed", "shuffle:3", "unrecorded"])
@pytest.mark.parametrize(
    ("body", "kinds", "blocks"),
    [
        (_with(BUFFERS, which="& 1"), set(), 1),
        (_with(BUFFERS, which="& 0"), RACE, 1),
        (_with(HALO, last="63"), set(), 2),
        (_with(HALO, last="64"), {"uninitialised-read"}, 2),
        (_with(SCAN, between="__syncwarp();"), set(), 1),
        (_with(SCAN, between=""), RACE, 1),
        (_with(SCAN, between="__shfl_sync(~0u, x, 0);"), RACE, 1),
        (_with(STAGES, behind="1", stages="3"), set(), 1),
        (_with(STAGES, behind="2", stages="3"), RACE, 1),
        (_with(STAGES, behind="1", stages="2"), RACE, 1),
        (_with(LAST, all="__threadfence();", one="", count="atomicAdd"), set(), 3),
        (_with(LAST, all="", one="__threadfence();", count="atomicAdd"), set(), 3),
        (_with(LAST, all="", one="", count="atomicAdd"), RACE, 3),
        (_with(LAST, all="__threadfence_block();", one="", count="atomicAdd"), RACE, 3),
        (_with(LAST, all="__threadfence();", one="", count="atomicAdd_block"), RACE, 3),
        (_with(LOCK, taken="__threadfence();", done="__threadfence();", free="atomicExch(&c[0], 0)"), set(), 3),
        (_with(LOCK, taken="", done="__threadfence();", free="atomicExch(&c[0], 0)"), RACE, 3),
        (_with(LOCK, taken="__threadfence();", done="", free="atomicExch(&c[0], 0)"), RACE, 3),
        (_with(LOCK, taken="__threadfence();", done="__threadfence();", free="c[0] = 0"), RACE, 3),
        (_with(FLAG, barrier="__syncthreads();"), set(), 2),
        (_with(FLAG, barrier=""), RACE, 2),
        (_with(PHASE, more="", meet="b.arrive_and_wait();"), set(), 1),
        (_with(PHASE, more="", meet="b.wait(b.arrive());"), set(), 1),
        (_with(PHASE, more="", meet="b.arrive();"), RACE, 1),
        (_with(PHASE, more=" + 1", meet="b.arrive_and_wait();"), {"barrier-divergence"}, 1),
        (_with(LEADER, mask="m", off=""), set(), 1),
        (_with(LEADER, mask="~0u", off=""), {"warp-mask"}, 1),
        (_with(LEADER, mask="m", off=" / 2"), RACE, 1),
        # The last to come may reset the counter, fence or not; nobody else may.
        ("if (threadIdx.x == 0 && atomicAdd(&c[0], 1) == gridDim.x - 1) c[0] = 0;", set(), 3),
        ("if (threadIdx.x == 0 && atomicAdd(&c[0], 1) == 0) c[0] = 0;", RACE, 3),
        ("if (atomicAdd(&c[0], 1) == 63) { o[0] = c[0]; c[0] = 0; }", set(), 1),
        (SHARED + "s[t] = 1; if (atomicAdd(&c[0], 1) == 63) o[0] = s[5];", RACE, 1),
        (SHARED + "s[t] = 1; __threadfence_block(); if (atomicAdd(&c[0], 1) == 63) o[0] = s[5];", set(), 1),
        # How often a loop goes round
        (SHARED + "s[t] = t; for (int i = t; i < 128 + t; i += 64) __syncthreads();", set(), 1),
        (SHARED + "s[t] = t; for (int i = t; i < 100; i += 64) __syncthreads();", {"barrier-divergence"}, 1),
        (
            "__shared__ int stop; for (int i = 0;; ++i) { __syncthreads(); if (threadIdx.x == 0) stop = i > 3;\n"
            "__syncthreads(); if (stop) break; }",
            set(),
            1,
        ),
        # What lies where
        (
            "extern __shared__ char raw[]; int *x = (int *)raw, *y = (int *)(raw + 64 * sizeof(int)), "
            "t = threadIdx.x;\n"
            "x[t] = 1; y[t] = 2; __syncthreads(); o[t] = x[63 - t];",
            set(),
            1,
        ),
        (
            "extern __shared__ char raw[]; int *x = (int *)raw, *y = (int *)(raw + 64), t = threadIdx.x;\n"
            "x[t] = 1; y[t] = 2; __syncthreads(); o[t] = x[63 - t];",
            RACE,
            1,
        ),
        ("__shared__ unsigned char b[64]; int t = threadIdx.x; b[t] = t; if (t < 16) o[t] = ((int *)b)[t];", RACE, 1),
        ("int t = threadIdx.x; ((int4 *)o)[t / 2] = make_int4(t, t, t, t);", RACE, 1),
        ("int t = threadIdx.x; ((int2 *)(o + 1))[t] = make_int2(t, t);", {"misaligned-access"}, 1),
        # Who is there
        (
            "auto w = cg::tiled_partition<8>(cg::this_thread_block()); int t = threadIdx.x, v = a[t];\n"
            "if (t / 8 % 2) v += w.shfl_xor(v, 4); o[t] = v;",
            set(),
            1,
        ),
        (
            "auto w = cg::tiled_partition<8>(cg::this_thread_block()); int t = threadIdx.x, v = a[t];\n"
            "if (t % 8 < 4) v += w.any(v > 3); o[t] = v;",
            {"warp-mask"},
            1,
        ),
        ("int t = threadIdx.x, v = a[t]; if (t < 16) v += __shfl_down_sync(0xffff, v, 8, 16); o[t] = v;", set(), 1),
        (
            "int t = threadIdx.x, v = a[t]; if (t < 16) v += __shfl_down_sync(0xffff, v, 8); o[t] = v;",
            {"inactive-shuffle"},
            1,
        ),
        # Numbers
        ("int t = threadIdx.x; o[t] = a[(t - 1 + 64) % 64];", set(), 1),
        ("int t = threadIdx.x; o[t] = a[(t - 1) % 64];", {"out-of-bounds"}, 1),
        ("int t = threadIdx.x, s; for (int i = 0; i < 4; ++i) s += a[t]; o[t] = s;", {"uninitialised-read"}, 1),
    ],
)
def test_reported_kinds(body: str, kinds: set[str], blocks: int, schedule: str) -> None:
    source = f"{HEADERS}__global__ void k(const int *a, int *o, int *c) {{ {body} }}"
    given = {"a": np.arange(400, dtype=np.int32), "o": np.zeros(400, np.int32), "c": np.zeros(2, np.int32)}
    recorded = schedule != "unrecorded"
    found = trace(
        source,
        given,
        grid=(blocks,),
        block=(64,),
        schedule=schedule if recorded else "lockstep",
        shared=512,
        record=recorded,
    )
    assert {hazard.kind for hazard in found.hazards} == kinds
