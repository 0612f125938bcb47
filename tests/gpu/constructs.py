"""Small kernels without hazards, one construct or one order of evaluation each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.launch import Dim3, Launch
from kernels.simt import Unwritten, choose_kernel
from kernels.source import parse
from kernels.tracing import Job

if TYPE_CHECKING:
    from collections.abc import Mapping

N: Final = 64
"""Threads of the launch that a construct is run with unless it says otherwise: 2 blocks of 32."""


@dataclass(frozen=True)
class Construct:
    """The kernel's body, what stands before it, and its launch; t is the thread's number in the grid."""

    body: str
    before: str = ""
    grid: Dim3 = Dim3(2)
    block: Dim3 = Dim3(32)
    shared: int = 0
    more: Mapping[str, Any] = field(default_factory=dict)


CONSTRUCTS: Final[dict[str, Construct]] = {
    "assignment": Construct("out[at[t]] = in[at[t]] + in[t] * f[t]; out[at[t]] = out[at[t]] = n;"),
    "compound": Construct(
        "out[t] = 1; out[t] += out[t] * in[at[t]]; g[at[t]] -= g[at[t]] + at[t]; out[t] *= out[t] + n;"
    ),
    "update": Construct("g[t]++; --g[t]; out[t] = g[t]++ + ++g[t];"),
    "operands": Construct(
        "out[t] = in[t] * in[at[t]] - (in[(t + 1) % 64] < f[t] ? at[t] : f[at[t]]) / (f[t] + 1);"
    ),
    "short_circuit": Construct(
        "if (at[t] > 5 && in[at[t]] > 0 || f[t] > 3) out[t] = in[t]; else out[t] = f[t];"
    ),
    "comma": Construct("int i = (++g[t], at[t]); out[t] = i;"),
    "loops": Construct(
        "float s = 0; for (int i = 0; i < at[t] % 7; ++i) { if (i == 2) continue; s += in[(t + i) % 64]; }"
        "int k = 0; while (true) { s -= f[(t + k) % 64]; if (++k > t % 5) break; }"
        "do s += f[k]; while (--k > 0); out[t] = s;"
    ),
    "pointers": Construct(
        "const float *p = in + at[t]; float *q = &out[t]; *q = *p + p[-(t % 2) * 0]; q[0] = *q + *p;"
    ),
    "local": Construct(
        "float a[6] = {in[t], f[t]}; int m[2][3] = {{1, 2}, {at[t]}}; a[t % 6] += m[t % 2][t % 3];"
        "for (int i = 0; i < 2; ++i) { int b[2]; b[i] = i; b[1 - i] = at[t]; a[i] += b[0] * b[1]; }"
        "out[t] = a[t % 5] + a[5];"
    ),
    "shared": Construct(
        "__shared__ float s[32][2]; __shared__ int last; if (threadIdx.x == 31) last = at[t];"
        "s[threadIdx.x][1] = in[t]; s[threadIdx.x][0] = f[t]; __syncthreads();"
        "out[t] = s[31 - threadIdx.x][t % 2] * last + s[threadIdx.x][0];"
    ),
    "dynamic_shared": Construct(
        "extern __shared__ float d[]; float *e = d + 32; d[threadIdx.x] = in[t]; e[threadIdx.x] = f[t];"
        "__syncthreads(); out[t] = d[(t * 7) % 64];",
        shared=256,
    ),
    "file": Construct(
        "out[t] = w[t % 4] * in[t] + scale; if (t == 0) counter += 2; table[t] = n + more; g[t] = table[t];",
        "__constant__ float w[4] = {1, 2, 3, 4}; __constant__ float scale = 2.5f;"
        "__device__ int counter; __device__ int table[64]; const int more = 3;",
        more={"w": np.array([4, 3, 2, 1], np.float32)},
    ),
    "functions": Construct(
        "out[t] = add(in, at[t], twice(f[t])) + add(f, (int)twice(at[t]) % 64, in[t]); store(out, t, out[t] + in[t]);",
        "__device__ float twice(float x) { return x + x; }"
        "__device__ float add(const float *p, int i, float x) { if (i > 40) return x; return p[i] + x; }"
        "__device__ void store(float *p, int i, float x) { p[i] = x; __syncthreads(); p[i] += 1; }",
    ),
    "mathematics": Construct(
        "out[t] = fmaxf(in[t], f[t]) + min(at[t], g[t]) + fmaf(in[t], f[t], in[at[t]]);"
    ),
    "atomics": Construct(
        "atomicAdd(&g[at[t] % 4], at[t]); __shared__ int c; if (threadIdx.x == 0) c = 0; __syncthreads();"
        "atomicMax(&c, at[t]); __syncthreads(); out[t] = c;"
    ),
    "printing": Construct('printf("%d %f\\n", at[t], in[t] + f[t]); assert(in[t] >= 0); out[t] = 1;'),
    "early_return": Construct(
        "if (at[t] > 30) return; __shared__ int s[32]; s[threadIdx.x] = 1; out[t] = s[threadIdx.x];"
    ),
    "three_dimensions": Construct(
        "int u = threadIdx.x + 2 * threadIdx.y + 8 * threadIdx.z; int b = blockIdx.x + blockIdx.y * 2 + blockIdx.z * 2;"
        "out[(u + 16 * b) % 64] = in[u] + b + t;",
        grid=Dim3(2, 1, 2),
        block=Dim3(2, 4, 2),
    ),
    "numbers": Construct(
        "long long big = (long long)at[t] << 33; unsigned char c = at[t] * 9; short h = -at[t];"
        "double x = in[t] / 3.0; bool odd = at[t] & 1; out[t] = (big >> 30) + c + h + x + odd;"
    ),
}


def job_of(name: str) -> Job:
    """Return a launch of a construct: in, f (floats), at (a permutation) are read, g and out written."""
    made = CONSTRUCTS[name]
    program = parse(
        f"{made.before}\n__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)\n"
        "{ int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;\n"
        f"{made.body} }}",
        f"{name}.cu",
    )
    random = np.random.default_rng(7)
    arguments = {
        "in": random.random(N, np.float32), "f": random.random(N, np.float32) * 8,
        "at": random.permutation(N).astype(np.int32), "g": np.arange(N, dtype=np.int32),
        "out": Unwritten("float32", (N,)), "n": 5, **made.more,
    }  # fmt: skip
    return Job(program, choose_kernel(program, "k"), Launch(made.grid, made.block, made.shared), arguments)
