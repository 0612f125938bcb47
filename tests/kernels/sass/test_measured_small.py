"""Counts as compiled of small kernels against what Nsight Compute counted on an H200 (CUDA 13.0).

Each has one thing that compilers do with accesses, or that a GPU counts besides. Global loads and stores are given with
their sectors.
"""

from __future__ import annotations

import pytest

from kernels.gpu.compiler import missing
from kernels.sass.instructions import compiled_instructions
from tests.bench.counters import Ours, read_off
from tests.kernels.analysis.traces import source

needs_nvrtc = pytest.mark.skipif(bool(missing()), reason=missing())

INDEX = "int i = blockIdx.x * 64 + threadIdx.x;"

ELSE = f"""__global__ void k(const float *a, float *b, int n) {{ __shared__ float s[64]; {INDEX}
if (i < n)
s[threadIdx.x] = a[i];
else
s[threadIdx.x] = 0.0f;
__syncthreads();
b[i] = s[63 - threadIdx.x]; }}"""

UNROLLED = """__global__ void k(float *b, int n) { __shared__ float s[4 * 64];
for (int i = 0; i < 4; i++)
s[i * 64 + threadIdx.x] = i;
__syncthreads();
for (int i = 0; i < 4; i++)
if (blockIdx.x * 64 + i < n)
b[(blockIdx.x * 4 + i) * 64 + threadIdx.x] = s[i * 64 + threadIdx.x];
}"""

READ_AGAIN = f"""__global__ void k(const float3 *d, float2 *v, float *o) {{ {INDEX}
v[i].x = d[i].x / d[i].z;
v[i].y = d[i].y / d[i].z;
o[i] = v[i].x + d[i].x;
}}"""

ONE_STORE = f"""__global__ void k(const float *a, float *b, int n) {{ {INDEX}
b[i] = a[i];
if (i % n)
b[i] += a[i + 1];
else
b[i] += 2.0f;
}}"""

FEWER_LANES = f"""__global__ void k(bool *u, bool *f, int *p) {{ {INDEX}
if (u[i])
p[i] = 1;
f[i] = u[i];
}}"""

SINE = f"""__global__ void k(const double *a, double *b) {{ {INDEX}
double x = a[i];
b[i] = sin(x);
}}"""

CALLED = f"""__device__ __noinline__ float f(const float *p, int i)
{{
return p[i] * 2.0f;
}}
__global__ void k(const float *a, float *b) {{ {INDEX}
b[i] = f(a, i);
if (b[i] > 1.0f)
b[i] = f(a, i) + f(a, i + 32);
}}"""

SUMMED = """__global__ void k(const float *a, float *b) { __shared__ float s;
if (threadIdx.x == 0)
s = 0;
__syncthreads();
atomicAdd(&s, a[threadIdx.x]);
__syncthreads();
b[blockIdx.x * 64 + threadIdx.x] = s;
}"""

A, B = "a=f32[4096]:random(1)", "b=f32[4096]:zeros"


def counted(text: str, *arguments: str) -> Ours:
    trace = source(text, "2", "64", *arguments)
    return read_off(trace, compiled_instructions(trace, "sm_90").memory)


@needs_nvrtc
@pytest.mark.parametrize(
    ("text", "arguments", "measured"),
    [
        pytest.param(ELSE, (A, B, "n=128"), {"shared stores": 8, "shared store wavefronts": 4}, id="nobody"),
        pytest.param(ELSE, (A, B, "n=70"), {"shared stores": 8, "shared store wavefronts": 5}, id="some"),
        pytest.param(
            UNROLLED, (B, "n=64"), {"shared loads": 14, "shared load wavefronts": 8, "global stores": 8}, id="turns"
        ),
    ],
)
def test_counts_are_those_of_the_gpu(text: str, arguments: tuple[str, ...], measured: dict[str, int]) -> None:
    found = counted(text, *arguments)
    assert found.compiled is not None
    assert {name: found.compiled[name] for name in measured} == measured
    assert not found.unknown & {" ".join(name.split()[:2]).removesuffix("s") for name in measured}


@needs_nvrtc
@pytest.mark.parametrize(
    ("text", "arguments", "unknown"),
    [
        # what both sides of a branch store is stored once, behind it: 32 sectors, not 36
        pytest.param(ONE_STORE, (A, B, "n=32"), "global store", id="one-store"),
        # the second read is made for those only that wrote between the two
        pytest.param(
            FEWER_LANES,
            ("u=u8[4096]:randint(0,2,1)", "f=u8[4096]:zeros", "p=i32[4096]:zeros"),
            "global load",
            id="fewer-lanes",
        ),
        # one of two reads of the last line is left out: that of v, which is still in a register
        pytest.param(
            READ_AGAIN,
            ("d=f32[1024,3]:random(1)", "v=f32[1024,2]:zeros", "o=f32[4096]:zeros"),
            "global load",
            id="read-again",
        ),
        # three loads of 16 bytes from a table for each warp
        pytest.param(SINE, ("a=f64[4096]:random(1)", "b=f64[4096]:zeros"), "global load", id="sine"),
        pytest.param(CALLED, (A, B), "global load", id="called"),
        # 258 loads, as often as lanes come between
        pytest.param(SUMMED, (A, B), "shared load", id="atomic"),
    ],
)
def test_differences_are_reported_as_unknown(text: str, arguments: tuple[str, ...], unknown: str) -> None:
    assert unknown in counted(text, *arguments).unknown
