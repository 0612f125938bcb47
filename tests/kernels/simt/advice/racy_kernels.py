"""Small kernels that race, by the shape of the mistake: what a beginner leaves out, or puts in the wrong place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.simt import Unwritten

if TYPE_CHECKING:
    from kernels.simt import Argument


@dataclass(frozen=True)
class Racy:
    """A kernel `k`, its launch, and its arguments by name, words and size; without words they hold numbers below 7."""

    name: str
    source: str
    block: tuple[int, ...] = (64,)
    grid: tuple[int, ...] = (1,)
    arguments: tuple[tuple[str, str, int], ...] = (("in", "int32", 64), ("out", "unwritten int32", 64))
    shared: int = 0
    template: tuple[tuple[str, str], ...] = ()

    def given(self) -> dict[str, Argument]:
        """Build the arguments."""
        found: dict[str, Argument] = {}
        for name, words, size in self.arguments:
            *how, dtype = words.split()
            if dtype == "number":
                found[name] = size
            elif how == ["unwritten"]:
                found[name] = Unwritten(dtype, (size,))
            elif how == ["zeros"]:
                found[name] = np.zeros(size, dtype)
            else:
                found[name] = (np.arange(size) % 7).astype(dtype)
        return found


def _in_to_out(body: str, threads: int = 64) -> str:
    return f"""__global__ void k(const int *in, int *out)
{{
    __shared__ int s[{threads}];
    int t = threadIdx.x;
{body}
}}
"""


_MATMUL = """__global__ void k(const float *A, const float *B, float *C, int n)
{{
    __shared__ float As[{tile}][{tile}], Bs[{tile}][{tile}];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * {tile} + ty, col = blockIdx.x * {tile} + tx;
    float sum = 0;
    for (int m = 0; m < n; m += {tile}) {{
        As[ty][tx] = A[row * n + m + tx];
        Bs[ty][tx] = B[(m + ty) * n + col];
        {first}
        for (int k = 0; k < {tile}; ++k)
            sum += As[ty][k] * Bs[k][tx];
        {second}
    }}
    C[row * n + col] = sum;
}}
"""


def _matmul(name: str, first: str, second: str, tile: int) -> Racy:
    n = 2 * tile
    return Racy(
        name,
        _MATMUL.format(first=first, second=second, tile=tile),
        (tile, tile),
        (2, 2),
        (("A", "float32", n * n), ("B", "float32", n * n), ("C", "unwritten float32", n * n), ("n", "number", n)),
    )


_LAST_BLOCK = """__device__ unsigned int arrived = 0;
__global__ void k(const int *in, int *parts, int *out)
{{
    __shared__ int s[64];
    __shared__ bool last;
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    for (int d = 32; d > 0; d /= 2) {{
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }}
    if (t == 0) {{
        parts[blockIdx.x] = s[0];
        {fence}
        last = atomicAdd(&arrived, 1) == gridDim.x - 1;
    }}
    __syncthreads();
    if (last && t == 0) {{
        int sum = 0;
        for (int b = 0; b < gridDim.x; ++b)
            sum += {part};
        out[0] = sum;
    }}
}}
"""

_TREE = (("in", "int32", 128), ("out", "unwritten int32", 1))

RACY: Final = (
    Racy("reverse", _in_to_out("    s[t] = in[t];\n    out[t] = s[63 - t];")),
    Racy(
        "reverse_in_one_warp",
        _in_to_out("    s[t] = in[t];\n    out[t] = s[31 - t];", 32),
        (32,),
        arguments=(("in", "int32", 32), ("out", "unwritten int32", 32)),
    ),
    Racy(
        "reverse_in_half_a_warp",
        _in_to_out("    s[t] = in[t];\n    out[t] = s[blockDim.x - 1 - t];"),
        (16,),
        arguments=(("in", "int32", 16), ("out", "unwritten int32", 16)),
    ),
    Racy("neighbours_in_a_warp", _in_to_out("    s[t] = in[t];\n    out[t] = s[t ^ 1];")),
    Racy(
        "lanes_by_modulo",
        _in_to_out("    int lane = t % 32, w = t / 32;\n    s[t] = in[t];\n    out[t] = s[w * 32 + (lane + 1) % 32];"),
    ),
    Racy(
        "scan_without_barriers",
        _in_to_out("""    s[t] = in[t];
    __syncthreads();
    for (int d = 1; d < 64; d *= 2) {
        int v = 0;
        if (t >= d)
            v = s[t - d];
        s[t] += v;
    }
    out[t] = s[t];"""),
    ),
    Racy(
        "scan_with_one_barrier",
        _in_to_out("""    s[t] = in[t];
    for (int d = 1; d < 64; d *= 2) {
        __syncthreads();
        int v = t >= d ? s[t - d] : 0;
        s[t] += v;
    }
    out[t] = s[t];"""),
    ),
    Racy(
        "scan_in_one_statement",
        _in_to_out("""    s[t] = in[t];
    __syncthreads();
    for (int d = 1; d < 64; d *= 2)
        if (t >= d)
            s[t] += s[t - d];
    __syncthreads();
    out[t] = s[t];"""),
    ),
    Racy(
        "scan_in_a_branch",
        _in_to_out("""    s[t] = in[t];
    __syncthreads();
    for (int d = 1; d < 64; d *= 2) {
        if (t >= d) {
            int v = s[t - d];
            s[t] += v;
        }
        __syncthreads();
    }
    out[t] = s[t];"""),
    ),
    Racy(
        "stencil_steps",
        """__global__ void k(float *a, int steps)
{
    __shared__ float s[66];
    int t = threadIdx.x;
    s[t + 1] = a[t];
    if (t == 0) {
        s[0] = 0;
        s[65] = 0;
    }
    __syncthreads();
    for (int step = 0; step < steps; ++step) {
        float mean = (s[t] + s[t + 1] + s[t + 2]) / 3;
        __syncthreads();
        s[t + 1] = mean;
    }
    a[t] = s[t + 1];
}
""",
        arguments=(("a", "float32", 64), ("steps", "number", 4)),
    ),
    Racy(
        "stencil_in_place",
        """__global__ void k(float *a)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    if (t > 0 && t < 63) {
        float left = s[t - 1], right = s[t + 1];
        s[t] = (left + right) / 2;
    }
    __syncthreads();
    a[t] = s[t];
}
""",
        arguments=(("a", "float32", 64),),
    ),
    Racy(
        "stencil_halo",
        """__global__ void k(const float *a, float *b)
{
    __shared__ float s[66];
    int t = threadIdx.x;
    if (t == 0)
        s[0] = 0;
    else if (t == 63)
        s[65] = 0;
    s[t + 1] = a[t];
    b[t] = s[t] + s[t + 2];
}
""",
        arguments=(("a", "float32", 64), ("b", "unwritten float32", 64)),
    ),
    _matmul("matmul_no_barriers", "", "", 8),
    _matmul("matmul_no_second_barrier", "__syncthreads();", "", 16),
    _matmul("matmul_no_second_barrier_small", "__syncthreads();", "", 4),
    _matmul("matmul_no_first_barrier_small", "", "__syncthreads();", 4),
    Racy(
        "tree_no_barrier_in_loop",
        """__global__ void k(const int *in, int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int d = 64; d > 0; d >>= 1) {
        if (t < d) {
            s[t] += s[t + d];
        }
    }
    if (t == 0)
        out[0] = s[0];
}
""",
        (128,),
        arguments=_TREE,
    ),
    Racy(
        "tree_no_barriers",
        """__global__ void k(const int *in, int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    for (int d = 64; d > 0; d /= 2)
        if (t < d)
            s[t] += s[t + d];
    if (t == 0)
        out[0] = s[0];
}
""",
        (128,),
        arguments=_TREE,
    ),
    Racy(
        "tree_in_a_small_block",
        """__global__ void k(const int *in, int *out)
{
    __shared__ int s[16];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int d = 8; d > 0; d /= 2)
        if (t < d)
            s[t] += s[t + d];
    if (t == 0)
        out[0] = s[0];
}
""",
        (16,),
        arguments=(("in", "int32", 16), ("out", "unwritten int32", 1)),
    ),
    Racy(
        "tree_barrier_in_branch_missing",
        """__global__ void k(const int *in, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    for (int d = 1; d < 64; d *= 2) {
        __syncthreads();
        if (t % (2 * d) == 0)
            s[t] += s[t + d];
    }
    out[t] = s[0];
}
""",
    ),
    Racy(
        "last_steps_of_a_warp",
        """__global__ void k(const int *in, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    if (t < 32) {
        s[t] += s[t + 32];
        __syncwarp();
        if (t < 16)
            s[t] += s[t + 16];
        if (t < 8)
            s[t] += s[t + 8];
    }
    if (t == 0)
        out[0] = s[0];
}
""",
        arguments=(("in", "int32", 64), ("out", "unwritten int32", 1)),
    ),
    Racy(
        "histogram_shared",
        """__global__ void k(const int *in, int *bins)
{
    __shared__ int mine[8];
    int t = threadIdx.x;
    if (t < 8)
        mine[t] = 0;
    __syncthreads();
    mine[in[t]]++;
    __syncthreads();
    if (t < 8)
        atomicAdd(&bins[t], mine[t]);
}
""",
        arguments=(("in", "int32", 64), ("bins", "zeros int32", 8)),
    ),
    Racy(
        "histogram_read_too_early",
        """__global__ void k(const int *in, int *bins)
{
    __shared__ int mine[8];
    int t = threadIdx.x;
    if (t < 8)
        mine[t] = 0;
    __syncthreads();
    atomicAdd(&mine[in[t]], 1);
    if (t < 8)
        bins[t] = mine[t];
}
""",
        arguments=(("in", "int32", 64), ("bins", "unwritten int32", 8)),
    ),
    Racy(
        "histogram_not_cleared",
        """__global__ void k(const int *in, int *bins)
{
    __shared__ int mine[8];
    int t = threadIdx.x;
    if (t == 0)
        for (int b = 0; b < 8; ++b)
            mine[b] = 0;
    atomicAdd(&mine[in[t]], 1);
    __syncthreads();
    if (t < 8)
        bins[t] = mine[t];
}
""",
        arguments=(("in", "int32", 64), ("bins", "unwritten int32", 8)),
    ),
    Racy(
        "guarded",
        """__global__ void k(const int *in, int *out, int n)
{
    __shared__ int s[64];
    int i = threadIdx.x;
    if (i < n) {
        s[i] = in[i];
        out[i] = s[n - 1 - i];
    }
}
""",
        arguments=(("in", "int32", 64), ("out", "unwritten int32", 40), ("n", "number", 40)),
    ),
    Racy(
        "returned_early",
        """__global__ void k(const int *in, int *out, int n)
{
    __shared__ int s[64];
    int i = threadIdx.x;
    if (i >= n)
        return;
    s[i] = in[i];
    out[i] = s[n - 1 - i];
}
""",
        arguments=(("in", "int32", 64), ("out", "unwritten int32", 40), ("n", "number", 40)),
    ),
    Racy(
        "two_sides_of_a_branch",
        """__global__ void k(const int *in, int *out)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 32) {
        s[t] = in[t];
    } else {
        out[t - 32] = s[t - 32];
    }
}
""",
        arguments=(("in", "int32", 64), ("out", "unwritten int32", 32)),
    ),
    Racy(
        "broadcast_in_a_loop",
        """__global__ void k(const int *in, int *out, int rows)
{
    __shared__ int first;
    int t = threadIdx.x;
    for (int r = 0; r < rows; ++r) {
        if (t == 0)
            first = in[r];
        __syncthreads();
        out[r * 64 + t] = first;
    }
}
""",
        arguments=(("in", "int32", 4), ("out", "unwritten int32", 256), ("rows", "number", 4)),
    ),
    Racy(
        "double_buffer_one_barrier_too_few",
        """__global__ void k(const int *in, int *out, int tiles)
{
    __shared__ int s[2][64];
    int t = threadIdx.x, sum = 0;
    s[0][t] = in[t];
    for (int k = 0; k < tiles; ++k) {
        if (k + 1 < tiles)
            s[(k + 1) % 2][t] = in[(k + 1) * 64 + t];
        sum += s[k % 2][63 - t];
    }
    out[t] = sum;
}
""",
        arguments=(("in", "int32", 256), ("out", "unwritten int32", 64), ("tiles", "number", 4)),
    ),
    Racy(
        "pointers_exchanged",
        """__global__ void k(const int *in, int *out, int steps)
{
    __shared__ int a[64], b[64];
    int t = threadIdx.x;
    int *now = a, *next = b;
    now[t] = in[t];
    __syncthreads();
    for (int step = 0; step < steps; ++step) {
        next[t] = now[t] + now[(t + 1) % 64];
        int *swap = now;
        now = next;
        next = swap;
    }
    out[t] = now[t];
}
""",
        arguments=(("in", "int32", 64), ("out", "unwritten int32", 64), ("steps", "number", 4)),
    ),
    Racy(
        "carved_floats_and_ints",
        """__global__ void k(const int *in, int *out)
{
    extern __shared__ char raw[];
    float *weights = (float *)raw;
    int *keys = (int *)(raw + 128);
    int t = threadIdx.x;
    weights[t] = in[t] * 0.5f;
    keys[t] = in[t];
    __syncthreads();
    out[t] = keys[63 - t] + (int)weights[t];
}
""",
        shared=640,
    ),
    Racy(
        "carved_off_by_one",
        """extern __shared__ float pool[];
__global__ void k(const int *in, int *out)
{
    int t = threadIdx.x;
    float *a = pool;
    float *b = a + blockDim.x - 1;
    a[t] = in[t];
    b[t] = 2 * in[t];
    __syncthreads();
    out[t] = (int)(a[63 - t] + b[63 - t]);
}
""",
        shared=508,
    ),
    Racy(
        "flag_no_fence",
        """__device__ int ready = 0;
__global__ void k(const int *in, int *value, int *out)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        value[0] = in[3] * 7;
        atomicExch(&ready, 1);
    } else {
        while (atomicAdd(&ready, 0) == 0)
            ;
        out[0] = value[0];
    }
}
""",
        (32,),
        (2,),
        (("in", "int32", 64), ("value", "unwritten int32", 1), ("out", "unwritten int32", 1)),
    ),
    Racy(
        "flag_volatile",
        """__global__ void k(const int *in, int *value, volatile int *ready, int *out)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        value[0] = in[3] * 7;
        __threadfence();
        *ready = 1;
    }
    if (blockIdx.x == 1 && threadIdx.x == 0) {
        while (*ready == 0)
            ;
        __threadfence();
        out[0] = value[0];
    }
}
""",
        (32,),
        (2,),
        (
            ("in", "int32", 64),
            ("value", "unwritten int32", 1),
            ("ready", "zeros int32", 1),
            ("out", "unwritten int32", 1),
        ),
    ),
    Racy(
        "last_block_no_fence",
        _LAST_BLOCK.format(fence="", part="parts[b]"),
        (64,),
        (3,),
        (("in", "int32", 192), ("parts", "unwritten int32", 3), ("out", "unwritten int32", 1)),
    ),
    Racy(
        "last_block_block_fence",
        _LAST_BLOCK.format(fence="__threadfence_block();", part="parts[b]"),
        (64,),
        (3,),
        (("in", "int32", 192), ("parts", "unwritten int32", 3), ("out", "unwritten int32", 1)),
    ),
    Racy(
        "sum_of_blocks_read_back",
        """__global__ void k(const int *in, int *total, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(total, in[i]);
    __syncthreads();
    out[i] = in[i] * *total;
}
""",
        (64,),
        (2,),
        (("in", "int32", 128), ("total", "zeros int32", 1), ("out", "unwritten int32", 128)),
    ),
    Racy(
        "two_phases_of_blocks",
        """__global__ void k(const int *in, int *middle, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        middle[i] = in[i] + 1;
    __syncthreads();
    if (i < n)
        out[i] = middle[n - 1 - i];
}
""",
        (64,),
        (2,),
        (
            ("in", "int32", 128),
            ("middle", "unwritten int32", 120),
            ("out", "unwritten int32", 120),
            ("n", "number", 120),
        ),
    ),
    Racy(
        "dot_product_plain_sum",
        """__global__ void k(const float *a, const float *b, float *sum)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    *sum = *sum + a[i] * b[i];
}
""",
        (64,),
        (2,),
        (("a", "float32", 128), ("b", "float32", 128), ("sum", "zeros float32", 1)),
    ),
    Racy(
        "maximum_by_branch",
        """__global__ void k(const int *in, int *best)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] > *best)
        *best = in[i];
}
""",
        (64,),
        (2,),
        (("in", "int32", 128), ("best", "zeros int32", 1)),
    ),
    Racy("everyone_sets_the_size", _in_to_out("    s[0] = 64;\n    __syncthreads();\n    out[t] = s[0] + in[t];")),
    Racy(
        "function_twice",
        """__device__ int total(int v, int *s)
{
    s[threadIdx.x] = v;
    __syncthreads();
    for (int d = 32; d > 0; d /= 2) {
        if (threadIdx.x < d)
            s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    return s[0];
}
__global__ void k(const int *in, int *out)
{
    __shared__ int s[64];
    int first = total(in[threadIdx.x], s);
    int second = total(first + in[threadIdx.x], s);
    out[threadIdx.x] = second;
}
""",
    ),
    Racy(
        "function_in_a_loop",
        """__device__ void shift(int *s, int t)
{
    int v = s[(t + 1) % 64];
    __syncthreads();
    s[t] = v;
}
__global__ void k(const int *in, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int i = 0; i < 3; ++i)
        shift(s, t);
    out[t] = s[t];
}
""",
    ),
    Racy(
        "template",
        """template <typename T, int N>
__device__ T reversed(T *s, int t)
{
    T v = s[N - 1 - t];
    s[t] = v;
    return v;
}
template <typename T>
__global__ void k(const T *in, T *out)
{
    __shared__ T s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    out[t] = reversed<T, 64>(s, t);
}
""",
        template=(("T", "int"),),
    ),
    Racy(
        "steps_of_a_warp",
        """__global__ void k(const int *in, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    if (t < 32) {
        volatile int *v = s;
        v[t] += v[t + 32];
        v[t] += v[t + 16];
        v[t] += v[t + 8];
        v[t] += v[t + 4];
        v[t] += v[t + 2];
        v[t] += v[t + 1];
    }
    if (t == 0)
        out[0] = s[0];
}
""",
        arguments=(("in", "int32", 64), ("out", "unwritten int32", 1)),
    ),
    Racy(
        "one_line",
        "__global__ void k(const int *in, int *out) { __shared__ int s[64]; int t = threadIdx.x; "
        "s[t] = in[t]; out[t] = s[63 - t]; }\n",
    ),
    Racy(
        "appended_plainly",
        """__global__ void k(const int *in, int *count, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] > 3)
        out[count[0]++] = in[i];
}
""",
        (64,),
        (2,),
        (("in", "int32", 128), ("count", "zeros int32", 1), ("out", "zeros int32", 128)),
    ),
    Racy(
        "update_in_two_statements",
        """__global__ void k(int *count, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int mine = count[0];
    count[0] = mine + 2;
    out[i] = mine;
}
""",
        (64,),
        (2,),
        (("count", "zeros int32", 1), ("out", "unwritten int32", 128)),
    ),
    Racy(
        "product",
        """__global__ void k(const float *in, float *product)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    *product *= in[i];
}
""",
        (64,),
        (2,),
        (("in", "float32", 128), ("product", "zeros float32", 1)),
    ),
    Racy(
        "lock_without_fences",
        """__global__ void k(int *lock, int *sum)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            sum[0] += threadIdx.x;
            atomicExch(lock, 0);
            done = true;
        }
    }
}
""",
        (4,),
        (3,),
        (("lock", "zeros int32", 1), ("sum", "zeros int32", 1)),
    ),
    Racy(
        "every_thread_announced_by_one",
        """__device__ int count = 0;
__global__ void k(int *part, int *out)
{
    __shared__ int last;
    int t = threadIdx.x;
    part[blockIdx.x * 64 + t] = t;
    if (t == 0)
        last = atomicAdd(&count, 1) == gridDim.x - 1;
    __syncthreads();
    if (last)
        out[t] = part[t] + part[64 + t];
}
""",
        (64,),
        (2,),
        (("part", "unwritten int32", 128), ("out", "zeros int32", 64)),
    ),
    Racy(
        "jacobi_of_blocks",
        """__global__ void k(float *a, float *b, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int step = 0; step < steps; ++step) {
        if (i > 0 && i < n - 1)
            b[i] = (a[i - 1] + a[i + 1]) / 2;
        __syncthreads();
        if (i > 0 && i < n - 1)
            a[i] = b[i];
        __syncthreads();
    }
}
""",
        (64,),
        (2,),
        (("a", "float32", 128), ("b", "zeros float32", 128), ("n", "number", 128), ("steps", "number", 3)),
    ),
    Racy(
        "strided_loop",
        """__global__ void k(const int *in, int *out, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    for (int i = t; i < n; i += 64) {
        s[t] = in[i];
        out[i] = s[t ^ 33];
    }
}
""",
        arguments=(("in", "int32", 100), ("out", "unwritten int32", 100), ("n", "number", 100)),
    ),
    Racy(
        "blocks_over_rows",
        """__global__ void k(const int *in, int *out, int rows)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    for (int r = blockIdx.x; r < rows; r += gridDim.x) {
        s[t] = in[r * 64 + t];
        __syncthreads();
        out[r * 64 + t] = s[63 - t];
    }
}
""",
        (64,),
        (2,),
        (("in", "int32", 320), ("out", "unwritten int32", 320), ("rows", "number", 5)),
    ),
    Racy(
        "transposed_in_place",
        """__global__ void k(int *a)
{
    int x = threadIdx.x, y = threadIdx.y;
    int v = a[y * 8 + x];
    a[x * 8 + y] = v;
}
""",
        (8, 8),
        arguments=(("a", "int32", 64),),
    ),
    Racy(
        "prime_sieve",
        """__global__ void k(int *composite, int n)
{
    int i = threadIdx.x + 2;
    for (int m = 2 * i; m < n; m += i)
        composite[m] = 1;
}
""",
        (30,),
        arguments=(("composite", "zeros int32", 64), ("n", "number", 64)),
    ),
    Racy(
        "bitonic_step_without_barrier",
        """__global__ void k(int *a)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    for (int size = 2; size <= 64; size *= 2) {
        for (int d = size / 2; d > 0; d /= 2) {
            int other = t ^ d;
            if (other > t) {
                int low = s[t], high = s[other];
                if ((low > high) == ((t & size) == 0)) {
                    s[t] = high;
                    s[other] = low;
                }
            }
        }
    }
    __syncthreads();
    a[t] = s[t];
}
""",
        arguments=(("a", "int32", 64),),
    ),
    Racy(
        "volatile_sum_of_a_warp",
        """__global__ void k(const int *in, int *out)
{
    volatile __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    if (t < 32) {
        s[t] += s[t + 32];
        s[t] += s[t + 16];
        s[t] += s[t + 8];
        s[t] += s[t + 4];
        s[t] += s[t + 2];
        s[t] += s[t + 1];
    }
    if (t == 0)
        out[0] = s[0];
}
""",
        arguments=(("in", "int32", 64), ("out", "unwritten int32", 1)),
    ),
    Racy(
        "breadth_first_queue",
        """__global__ void k(const int *edges, int *visited, int *queue, int *size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int node = edges[i];
    if (visited[node] == 0) {
        visited[node] = 1;
        queue[atomicAdd(size, 1)] = node;
    }
}
""",
        (64,),
        (2,),
        (
            ("edges", "int32", 128),
            ("visited", "zeros int32", 7),
            ("queue", "zeros int32", 128),
            ("size", "zeros int32", 1),
        ),
    ),
    Racy(
        "count_cleared_plainly",
        """__global__ void k(const int *in, int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0)
        count[0] = 0;
    if (in[i] > 3)
        atomicAdd(&count[0], 1);
}
""",
        (64,),
        (2,),
        (("in", "int32", 128), ("count", "zeros int32", 1)),
    ),
    Racy(
        "volatile_flag_no_fence",
        """__global__ void k(const int *in, volatile int *value, volatile int *ready, int *out)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *value = in[3] * 7;
        *ready = 1;
    } else {
        while (*ready == 0)
            ;
        out[0] = *value;
    }
}
""",
        (32,),
        (2,),
        (
            ("in", "int32", 64),
            ("value", "zeros int32", 1),
            ("ready", "zeros int32", 1),
            ("out", "unwritten int32", 1),
        ),
    ),
    Racy(
        "lock_tested_then_set",
        """__global__ void k(volatile int *lock, volatile int *sum)
{
    if (threadIdx.x == 0) {
        while (*lock != 0)
            ;
        *lock = 1;
        __threadfence();
        *sum += 1;
        __threadfence();
        *lock = 0;
    }
}
""",
        (32,),
        (3,),
        (("lock", "zeros int32", 1), ("sum", "zeros int32", 1)),
    ),
)
