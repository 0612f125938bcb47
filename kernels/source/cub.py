"""Our own `cub`: reductions and scans of a block or a warp, called as those of the CUDA Core Compute Libraries.

It stands in where a program includes a header of cub and gives no folder that has it. Lanes of a warp combine with
those 1, 2, 4, … further on, then the warps one after another: the order of sums, and so their last bits, is not told
by cub's documentation.
"""

from __future__ import annotations

import re
from typing import Final

HEADER: Final = re.compile(
    r"cub/(cub|block/block_(reduce|scan)|warp/warp_(reduce|scan)|thread/thread_operators)\.cuh"
)
"""Names of the headers."""

SHUFFLING: Final = ("own_reduce", "own_scan", "WarpScan")
"""Functions, and structs whose functions, shuffle values of any type."""

TEXT: Final = """
#ifndef OWN_CUB
#define OWN_CUB
namespace cub {

struct Sum { template <typename T> __device__ T operator()(T a, T b) const { return a + b; } };
struct OwnSum { template <typename T> __device__ T operator()(T a, T b) const { return a + b; } };
struct Max { template <typename T> __device__ T operator()(T a, T b) const { return b > a ? b : a; } };
struct Min { template <typename T> __device__ T operator()(T a, T b) const { return b < a ? b : a; } };

enum BlockReduceAlgorithm {
    BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS
};
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

__device__ inline int own_rank() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
template <int WIDTH> __device__ unsigned own_mask() {
    return WIDTH == 32 ? 0xffffffffu : ((1u << (WIDTH % 32)) - 1u) << (own_rank() % 32 / WIDTH * WIDTH);
}

template <typename T, int WIDTH, typename Op> __device__ T own_reduce(T v, Op op, int count, unsigned mask) {
    int lane = own_rank() % 32 % WIDTH;
    for (int d = 1; d < WIDTH; d *= 2) {
        T other = __shfl_sync(mask, v, lane + d < count ? lane + d : lane, WIDTH);
        if (lane + d < count) v = op(v, other);
    }
    return v;
}

template <typename T, int WIDTH> __device__ T own_scan(T v, unsigned mask) {
    int lane = own_rank() % 32 % WIDTH;
    for (int d = 1; d < WIDTH; d *= 2) {
        T other = __shfl_up_sync(mask, v, d, WIDTH);
        if (lane >= d) v = other + v;
    }
    return v;
}

template <typename T, int WIDTH = 32> struct WarpReduce {
    struct TempStorage { int unused; };
    __device__ explicit WarpReduce(TempStorage &storage) {}
    template <typename Op> __device__ T Reduce(T v, Op op) {
        return own_reduce<T, WIDTH, Op>(v, op, WIDTH, own_mask<WIDTH>());
    }
    template <typename Op> __device__ T Reduce(T v, Op op, int valid) {
        return own_reduce<T, WIDTH, Op>(v, op, valid, own_mask<WIDTH>());
    }
    __device__ T Sum(T v) { return own_reduce<T, WIDTH, OwnSum>(v, OwnSum(), WIDTH, own_mask<WIDTH>()); }
    __device__ T Sum(T v, int valid) {
        return own_reduce<T, WIDTH, OwnSum>(v, OwnSum(), valid, own_mask<WIDTH>());
    }
};

template <typename T, int WIDTH = 32> struct WarpScan {
    struct TempStorage { int unused; };
    __device__ explicit WarpScan(TempStorage &storage) {}
    __device__ void InclusiveSum(T v, T &out) { out = own_scan<T, WIDTH>(v, own_mask<WIDTH>()); }
    __device__ void ExclusiveSum(T v, T &out) {
        T all = own_scan<T, WIDTH>(v, own_mask<WIDTH>());
        T before = __shfl_up_sync(own_mask<WIDTH>(), all, 1, WIDTH);
        out = own_rank() % 32 % WIDTH == 0 ? T(0) : before;
    }
};

template <typename T, int X, int ALGORITHM = 2, int Y = 1, int Z = 1> struct BlockReduce {
    static constexpr int THREADS = X * Y * Z;
    static constexpr int WARPS = (X * Y * Z + 31) / 32;
    struct TempStorage { T warps[WARPS]; };
    TempStorage *storage;
    __device__ explicit BlockReduce(TempStorage &given) : storage(&given) {}
    template <typename Op> __device__ T own_block(T v, Op op, int valid) {
        int warp = own_rank() / 32;
        int lanes = min(THREADS - 32 * warp, 32);
        unsigned mask = lanes < 32 ? (1u << lanes) - 1u : 0xffffffffu;
        v = own_reduce<T, 32, Op>(v, op, min(valid - 32 * warp, lanes), mask);
        if (own_rank() % 32 == 0) storage->warps[warp] = v;
        __syncthreads();
        if (own_rank() == 0) {
            for (int i = 1; i < WARPS; ++i) if (32 * i < valid) v = op(v, storage->warps[i]);
        }
        return v;
    }
    template <typename Op> __device__ T Reduce(T v, Op op) { return own_block<Op>(v, op, THREADS); }
    template <typename Op> __device__ T Reduce(T v, Op op, int valid) { return own_block<Op>(v, op, valid); }
    __device__ T Sum(T v) { return own_block<OwnSum>(v, OwnSum(), THREADS); }
    __device__ T Sum(T v, int valid) { return own_block<OwnSum>(v, OwnSum(), valid); }
};

template <typename T, int X, int ALGORITHM = 0, int Y = 1, int Z = 1> struct BlockScan {
    static constexpr int THREADS = X * Y * Z;
    static constexpr int WARPS = (X * Y * Z + 31) / 32;
    struct TempStorage { T warps[WARPS]; };
    TempStorage *storage;
    __device__ explicit BlockScan(TempStorage &given) : storage(&given) {}
    __device__ void InclusiveSum(T v, T &out, T &total) {
        int warp = own_rank() / 32;
        unsigned mask = THREADS - 32 * warp < 32 ? (1u << (THREADS % 32)) - 1u : 0xffffffffu;
        T all = own_scan<T, 32>(v, mask);
        if (own_rank() % 32 == 31 || own_rank() == THREADS - 1) storage->warps[warp] = all;
        __syncthreads();
        T before = T(0);
        for (int i = 0; i < warp; ++i) before = before + storage->warps[i];
        total = before;
        for (int i = warp; i < WARPS; ++i) total = total + storage->warps[i];
        out = warp == 0 ? all : before + all;
    }
    __device__ void InclusiveSum(T v, T &out) { T total; InclusiveSum(v, out, total); }
    __device__ void ExclusiveSum(T v, T &out, T &total) { T all; InclusiveSum(v, all, total); out = all - v; }
    __device__ void ExclusiveSum(T v, T &out) { T total; ExclusiveSum(v, out, total); }
};

}
#endif
"""
"""What every one of them holds."""
