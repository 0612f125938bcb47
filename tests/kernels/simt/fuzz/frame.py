"""Frame of every random kernel: parameters, variables, functions and structs to use, arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tests.kernels.simt.fuzz.expressions import LANES

if TYPE_CHECKING:
    from kernels.launch import Launch

MOST_SHARED: Final = 64
"""Elements of each shared array: a power of two, at least the threads of a block."""

HEAD: Final = f"""
__global__ void k(const int *X, const unsigned *Y, const float *F, const double *D, const float4 *V,
                  long long *RI, double *RF, float4 *RV, int *COUNT, int n)
{{
    __shared__ int s[{MOST_SHARED}];
    __shared__ float sf[2][{MOST_SHARED}];
    __shared__ float4 sv[{MOST_SHARED}];
    const int t = {LANES};
    const int g = t + (int)(blockIdx.x + gridDim.x * blockIdx.y) * (int)(blockDim.x * blockDim.y * blockDim.z);
    const int threads = blockDim.x * blockDim.y * blockDim.z;
    int x = X[g];
    unsigned y = Y[g];
    float f = F[g];
    double d = D[g];
    int e0 = t;
    unsigned char e1 = 3;
    int a[8] = {{1, 2, -3}};
    float b[4] = {{0.5f, f, 2.0f}};
    __align__(16) float b4[8] = {{1.0f, f}};
    int m[2][4] = {{{{1, 2}}, {{t, -5, 6}}}};
"""

TAIL: Final = """
    RI[2 * g] = x;
    RI[2 * g + 1] = (long long)y + e0 * 1000 + e1;
    RF[2 * g] = f;
    RF[2 * g + 1] = d;
}
"""

ABOVE: Final = """
__constant__ int K[8] = {3, -1, 4, 1, -5, 9, 2, 6};

__device__ int lookup[4] = {10, -20, 30, 40};

enum Mode { ADD, XOR, SUB = 5 };
typedef unsigned char byte;
using real = float;

struct Pair {
    int first;
    float second;
    __device__ int sum(int k) const { return first + k; }
    __device__ void add(int k) { first += k; second -= 1.0f; }
};

struct Matrix {
    real m[2][2];
    Pair corner;
    __device__ Matrix(float d)
    {
        for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 2; ++j)
                m[i][j] = i == j ? d : 0.0f;
        corner.first = 1;
        corner.second = d;
    }
    __device__ float trace() const { return m[0][0] + m[1][1]; }
};

template <typename T, int N>
struct Box {
    T v[N];
    __device__ T sum() const
    {
        T total = 0;
        for (int i = 0; i < N; ++i)
            total += v[i];
        return total;
    }
};

__device__ int pick(int x) { return x + 1; }
__device__ int pick(float x) { return x > 2.0f ? 2 : -2; }
__device__ int pick(unsigned x) { return (int)(x >> 1); }
__device__ int clamped(int x, int low = -5, int high = 5) { return x < low ? low : x > high ? high : x; }

__device__ int apply(Mode mode, int a, int b)
{
    switch (mode) {
    case ADD:
        return a + b;
    case SUB:
        return a - b;
    default:
        return a ^ b;
    }
}

__device__ Pair operator+(const Pair &one, const Pair &two)
{
    Pair made;
    made.first = one.first + two.first;
    made.second = one.second - two.second;
    return made;
}

__device__ Pair mixed(Pair one, int k)
{
    one.first ^= k;
    if (k > 0)
        return {k, one.second};
    return one;
}

__device__ int total(const int *from, int count)
{
    int sum = 0;
    while (count-- > 0)
        sum += *from++;
    return sum;
}

__device__ int rotated(int *s, int t, int n, int value)
{
    s[t] = value;
    __syncthreads();
    int next = s[(t + 1) % n];
    __syncthreads();
    return next;
}

template <typename T>
__device__ void exchange(T &one, T &two)
{
    T kept = one;
    one = two;
    two = kept;
}
"""


class Random:
    """A program and how it is launched."""

    def __init__(self, source: str, launch: Launch, schedule: str) -> None:
        self.source = source
        self.launch = launch
        self.schedule = schedule

    def __repr__(self) -> str:
        return f"<<<{self.launch.grid}, {self.launch.block}>>> {self.schedule}\n{self.source}"

    def arguments(self) -> dict[str, Any]:
        """What the kernel of `HEAD` is given."""
        count = self.launch.thread_count
        g = np.arange(max(count, 8))
        return {
            "X": (g * 37 - 900).astype(np.int32),
            "Y": (g * 2654435761).astype(np.uint32),
            "F": g.astype(np.float32) / np.float32(8) - np.float32(5),
            "D": g / 7 - 3,
            "V": np.arange(4 * len(g), dtype=np.float32).reshape(-1, 4) / np.float32(3),
            "RI": np.zeros(2 * count, np.int64),
            "RF": np.zeros(2 * count),
            "n": 12,
            "RV": np.zeros((count, 4), np.float32),
            "COUNT": np.zeros(4, np.int32),
        }
