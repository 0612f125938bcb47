"""Sources of kernels with and without data races."""

from __future__ import annotations

WITHIN = "no __syncthreads() between the two"


BETWEEN = "does not reach across blocks"


def kernel(body: str) -> str:
    return f"__global__ void k(int *C) {{\n__shared__ int s[64];\nint t = threadIdx.x;\n{body}\n}}"


RACES = [
    ("s[t] = t;\nC[t + blockIdx.x * 64] = s[63 - t];", "s", (4, 5), ("write", "read"), WITHIN),
    ("s[t] = t;\n__syncthreads();\ns[t] = s[(t + 1) % 64];", "s", (6, 6), ("read", "write"), WITHIN),
    ("s[t] = t;\n__syncthreads();\nint v = s[63 - t];\ns[t] = v;", "s", (6, 7), ("read", "write"), WITHIN),
    ("s[0] = t;", "s", (4, 4), ("write", "write"), WITHIN),
    ("s[0] = 7;", "s", (4, 4), ("write", "write"), "both write the same value"),
    ("if (t == 3) s[0] = 1;\nif (t == 60) atomicAdd(&s[0], 1);", "s", (4, 5), ("write", "atomic"), WITHIN),
    ("if (t < 2) atomicExch(&s[5], 1);\nif (t == 40) s[6] = s[5];", "s", (4, 5), ("atomic", "read"), WITHIN),
    ("C[t] = t;", "C", (4, 4), ("write", "write"), BETWEEN),
    (
        "C[t + 64 * blockIdx.x] = 1;\n__syncthreads();\nint v = C[(t + 64) % 128];",
        "C",
        (4, 6),
        ("write", "read"),
        BETWEEN,
    ),
    ("C[t + 64 * blockIdx.x] = 1;\nint v = C[63 - t + 64 * blockIdx.x];", "C", (4, 5), ("write", "read"), WITHIN),
]


LAST_BLOCK = """#define FENCE __threadfence_block()
__device__ int count = 0;
__global__ void total(int *part, int *out) {{
  __shared__ int last;
  int t = threadIdx.x;
  part[blockIdx.x * 64 + t] = t;
  {first}
  if (t == 0) {{
    {second}
    last = {ticket} == gridDim.x - 1;
  }}
  __syncthreads();
  if (last) out[t] = part[t] + part[64 + t];
}}"""


LOCK = """__device__ int lock = 0;
__global__ void k(int *sum) {{
  bool done = false;
  while (!done) {{
    if (atomicCAS(&lock, 0, 1) == 0) {{
      {enter}
      sum[0] += threadIdx.x;
      {leave}
      {unlock};
      done = true;
    }}
  }}
}}"""
