"""Our own `cub`: reductions, scans and loads of a block or a warp, called as in the CUDA Core Compute Libraries.

It is used where a program includes a header of cub and gives no folder that has it. Lanes of a warp combine with
those 1, 2, 4, … further on, then the warps one after another: the order of sums, and so their last bits, is not told
by cub's documentation.
"""

from __future__ import annotations

import re
from typing import Final

HEADER: Final = re.compile(
    r"cub/(cub|util_(ptx|math|type)|block/block_(reduce|scan|load|store)|warp/warp_(reduce|scan)"
    r"|thread/thread_operators)\.cuh"
)
"""Names of the headers."""

SHUFFLING: Final = ("own_reduce", "own_scan", "own_left", "own_lane")
"""Functions, and structs whose functions, shuffle values of any type."""

TEXT: Final = """
#ifndef OWN_CUB
#define OWN_CUB
namespace cub {

struct Sum { template <typename T> __device__ T operator()(T a, T b) const { return a + b; } };
struct OwnSum { template <typename T> __device__ T operator()(T a, T b) const { return a + b; } };
struct Max { template <typename T> __device__ T operator()(T a, T b) const { return b > a ? b : a; } };
struct Min { template <typename T> __device__ T operator()(T a, T b) const { return b < a ? b : a; } };
struct Equality { template <typename T> __device__ bool operator()(T a, T b) const { return a == b; } };
struct Inequality { template <typename T> __device__ bool operator()(T a, T b) const { return a != b; } };
template <int N> struct PowerOfTwo { static constexpr bool VALUE = (N & (N - 1)) == 0; };

enum BlockReduceAlgorithm {
    BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS
};
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm {
    BLOCK_LOAD_DIRECT, BLOCK_LOAD_STRIPED, BLOCK_LOAD_VECTORIZE, BLOCK_LOAD_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
    BLOCK_STORE_DIRECT, BLOCK_STORE_STRIPED, BLOCK_STORE_VECTORIZE, BLOCK_STORE_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

__device__ inline int own_rank() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
__device__ inline unsigned LaneId() { return own_rank() % 32; }
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

template <typename T, int WIDTH, typename Op> __device__ T own_scan(T v, Op op, unsigned mask) {
    int lane = own_rank() % 32 % WIDTH;
    for (int d = 1; d < WIDTH; d *= 2) {
        T other = __shfl_up_sync(mask, v, d, WIDTH);
        if (lane >= d) v = op(other, v);
    }
    return v;
}
template <typename T, int WIDTH> __device__ T own_left(T v, unsigned mask) {
    return __shfl_up_sync(mask, v, 1, WIDTH);
}
template <typename T, int WIDTH> __device__ T own_lane(T v, int lane, unsigned mask) {
    return __shfl_sync(mask, v, lane, WIDTH);
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
    template <typename Op> __device__ void InclusiveScan(T v, T &out, Op op) {
        out = own_scan<T, WIDTH, Op>(v, op, own_mask<WIDTH>());
    }
    template <typename Op> __device__ void InclusiveScan(T v, T &out, Op op, T &total) {
        out = own_scan<T, WIDTH, Op>(v, op, own_mask<WIDTH>());
        total = own_lane<T, WIDTH>(out, WIDTH - 1, own_mask<WIDTH>());
    }
    template <typename Op> __device__ void ExclusiveScan(T v, T &out, Op op) {
        out = own_left<T, WIDTH>(own_scan<T, WIDTH, Op>(v, op, own_mask<WIDTH>()), own_mask<WIDTH>());
    }
    template <typename Op> __device__ void ExclusiveScan(T v, T &out, T initial, Op op) {
        T before;
        ExclusiveScan<Op>(v, before, op);
        out = own_rank() % 32 % WIDTH == 0 ? initial : op(initial, before);
    }
    template <typename Op> __device__ void ExclusiveScan(T v, T &out, T initial, Op op, T &total) {
        T all = own_scan<T, WIDTH, Op>(v, op, own_mask<WIDTH>());
        T before = own_left<T, WIDTH>(all, own_mask<WIDTH>());
        out = own_rank() % 32 % WIDTH == 0 ? initial : op(initial, before);
        total = own_lane<T, WIDTH>(all, WIDTH - 1, own_mask<WIDTH>());
    }
    __device__ void InclusiveSum(T v, T &out) { InclusiveScan<OwnSum>(v, out, OwnSum()); }
    __device__ void InclusiveSum(T v, T &out, T &total) { InclusiveScan<OwnSum>(v, out, OwnSum(), total); }
    __device__ void ExclusiveSum(T v, T &out) {
        T before;
        ExclusiveScan<OwnSum>(v, before, OwnSum());
        out = own_rank() % 32 % WIDTH == 0 ? T(0) : before;
    }
    __device__ T Broadcast(T v, unsigned lane) { return own_lane<T, WIDTH>(v, lane, own_mask<WIDTH>()); }
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
    template <int N, typename Op> __device__ T Reduce(T (&v)[N], Op op) {
        T all = v[0];
        for (int i = 1; i < N; ++i) all = op(all, v[i]);
        return own_block<Op>(all, op, THREADS);
    }
    template <int N> __device__ T Sum(T (&v)[N]) { return Reduce<N, OwnSum>(v, OwnSum()); }
    __device__ T Sum(T v) { return own_block<OwnSum>(v, OwnSum(), THREADS); }
    __device__ T Sum(T v, int valid) { return own_block<OwnSum>(v, OwnSum(), valid); }
};

template <typename T, int X, int ALGORITHM = 0, int Y = 1, int Z = 1> struct BlockScan {
    static constexpr int THREADS = X * Y * Z;
    static constexpr int WARPS = (X * Y * Z + 31) / 32;
    struct TempStorage { T warps[WARPS]; };
    TempStorage *storage;
    __device__ explicit BlockScan(TempStorage &given) : storage(&given) {}
    template <typename Op> __device__ void own_block(T v, Op op, T &all, T &before, T &total) {
        int warp = own_rank() / 32;
        unsigned mask = THREADS - 32 * warp < 32 ? (1u << (THREADS % 32)) - 1u : 0xffffffffu;
        T mine = own_scan<T, 32, Op>(v, op, mask), left = own_left<T, 32>(mine, mask), up;
        if (own_rank() % 32 == 31 || own_rank() == THREADS - 1) storage->warps[warp] = mine;
        __syncthreads();
        total = storage->warps[0];
        for (int i = 1; i < WARPS; ++i) {
            if (i == warp) up = total;
            total = op(total, storage->warps[i]);
        }
        all = warp == 0 ? mine : op(up, mine);
        before = own_rank() % 32 == 0 ? warp == 0 ? v : up : warp == 0 ? left : op(up, left);
    }
    template <typename Op> __device__ void InclusiveScan(T v, T &out, Op op, T &total) {
        T before;
        own_block<Op>(v, op, out, before, total);
    }
    template <typename Op> __device__ void InclusiveScan(T v, T &out, Op op) {
        T total;
        InclusiveScan<Op>(v, out, op, total);
    }
    template <typename Op> __device__ void ExclusiveScan(T v, T &out, T initial, Op op, T &total) {
        T all, before;
        own_block<Op>(v, op, all, before, total);
        out = own_rank() == 0 ? initial : op(initial, before);
    }
    template <typename Op> __device__ void ExclusiveScan(T v, T &out, T initial, Op op) {
        T total;
        ExclusiveScan<Op>(v, out, initial, op, total);
    }
    __device__ void InclusiveSum(T v, T &out, T &total) { InclusiveScan<OwnSum>(v, out, OwnSum(), total); }
    __device__ void InclusiveSum(T v, T &out) { InclusiveScan<OwnSum>(v, out, OwnSum()); }
    __device__ void ExclusiveSum(T v, T &out, T &total) {
        T all, before;
        own_block<OwnSum>(v, OwnSum(), all, before, total);
        out = own_rank() == 0 ? T(0) : before;
    }
    __device__ void ExclusiveSum(T v, T &out) { T total; ExclusiveSum(v, out, total); }

    template <int N, typename Op> __device__ T own_items(T (&v)[N], Op op, T &total) {
        T sum = v[0], all, before;
        for (int i = 1; i < N; ++i) sum = op(sum, v[i]);
        own_block<Op>(sum, op, all, before, total);
        return before;
    }
    template <int N, typename Op> __device__ void InclusiveScan(T (&v)[N], T (&out)[N], Op op, T &total) {
        T sum = own_items<N, Op>(v, op, total);
        for (int i = 0; i < N; ++i) {
            sum = i == 0 && own_rank() == 0 ? v[0] : op(sum, v[i]);
            out[i] = sum;
        }
    }
    template <int N, typename Op> __device__ void InclusiveScan(T (&v)[N], T (&out)[N], Op op) {
        T total;
        InclusiveScan<N, Op>(v, out, op, total);
    }
    template <int N, typename Op>
    __device__ void ExclusiveScan(T (&v)[N], T (&out)[N], T initial, Op op, T &total) {
        T before = own_items<N, Op>(v, op, total);
        T sum = own_rank() == 0 ? initial : op(initial, before);
        for (int i = 0; i < N; ++i) {
            T item = v[i];
            out[i] = sum;
            sum = op(sum, item);
        }
    }
    template <int N, typename Op> __device__ void ExclusiveScan(T (&v)[N], T (&out)[N], T initial, Op op) {
        T total;
        ExclusiveScan<N, Op>(v, out, initial, op, total);
    }
    template <int N> __device__ void InclusiveSum(T (&v)[N], T (&out)[N]) {
        InclusiveScan<N, OwnSum>(v, out, OwnSum());
    }
    template <int N> __device__ void InclusiveSum(T (&v)[N], T (&out)[N], T &total) {
        InclusiveScan<N, OwnSum>(v, out, OwnSum(), total);
    }
    template <int N> __device__ void ExclusiveSum(T (&v)[N], T (&out)[N]) {
        ExclusiveScan<N, OwnSum>(v, out, T(0), OwnSum());
    }
    template <int N> __device__ void ExclusiveSum(T (&v)[N], T (&out)[N], T &total) {
        ExclusiveScan<N, OwnSum>(v, out, T(0), OwnSum(), total);
    }
};

template <typename T, int X, int N, int ALGORITHM = 0, int Y = 1, int Z = 1> struct BlockLoad {
    static constexpr int THREADS = X * Y * Z;
    struct TempStorage { T items[ALGORITHM >= 3 ? THREADS * N : 1]; };
    TempStorage *storage;
    __device__ explicit BlockLoad(TempStorage &given) : storage(&given) {}
    __device__ void Load(const T *from, T (&items)[N], int valid = THREADS * N) {
        for (int i = 0; i < N; ++i) {
            int at = ALGORITHM == 0 || ALGORITHM == 2 ? own_rank() * N + i : own_rank() + i * THREADS;
            if (at < valid) {
                if constexpr (ALGORITHM >= 3) storage->items[at] = from[at];
                else items[i] = from[at];
            }
        }
        if constexpr (ALGORITHM >= 3) {
            __syncthreads();
            for (int i = 0; i < N; ++i) if (own_rank() * N + i < valid) items[i] = storage->items[own_rank() * N + i];
        }
    }
    template <typename D> __device__ void Load(const T *from, T (&items)[N], int valid, D otherwise) {
        for (int i = 0; i < N; ++i) items[i] = otherwise;
        Load(from, items, valid);
    }
};

template <typename T, int X, int N, int ALGORITHM = 0, int Y = 1, int Z = 1> struct BlockStore {
    static constexpr int THREADS = X * Y * Z;
    struct TempStorage { T items[ALGORITHM >= 3 ? THREADS * N : 1]; };
    TempStorage *storage;
    __device__ explicit BlockStore(TempStorage &given) : storage(&given) {}
    __device__ void Store(T *to, T (&items)[N], int valid = THREADS * N) {
        if constexpr (ALGORITHM >= 3) {
            for (int i = 0; i < N; ++i) storage->items[own_rank() * N + i] = items[i];
            __syncthreads();
        }
        for (int i = 0; i < N; ++i) {
            int at = ALGORITHM == 0 || ALGORITHM == 2 ? own_rank() * N + i : own_rank() + i * THREADS;
            if (at < valid) {
                if constexpr (ALGORITHM >= 3) to[at] = storage->items[at];
                else to[at] = items[i];
            }
        }
    }
};

}
#endif
"""
"""The text of these headers."""
