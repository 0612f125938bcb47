// cub: reductions and scans of a block. The order of sums, and so their last bits, are open in cub's documentation.
#ifndef OWN_CUB
#define OWN_CUB
namespace cub {

struct Sum { template <typename T> __device__ T operator()(T a, T b) const { return a + b; } };
struct OwnSum { template <typename T> __device__ T operator()(T a, T b) const { return a + b; } };
struct Max { template <typename T> __device__ T operator()(T a, T b) const { return b > a ? b : a; } };
struct Min { template <typename T> __device__ T operator()(T a, T b) const { return b < a ? b : a; } };

__device__ inline int own_rank() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }

template <typename T, typename Op> __device__ T own_reduce(T v, Op op, int count, unsigned mask) {
    int lane = own_rank() % 32;
    for (int d = 1; d < 32; d *= 2) {
        T other = __shfl_sync(mask, v, lane + d < count ? lane + d : lane);
        if (lane + d < count) v = op(v, other);
    }
    return v;
}
template <typename T> __device__ T own_scan(T v, unsigned mask) {
    int lane = own_rank() % 32;
    for (int d = 1; d < 32; d *= 2) {
        T other = __shfl_up_sync(mask, v, d);
        if (lane >= d) v = other + v;
    }
    return v;
}
template <typename T> __device__ T own_left(T v, unsigned mask) { return __shfl_up_sync(mask, v, 1); }

template <typename T, int X, int ALGORITHM = 0, int Y = 1, int Z = 1> struct BlockReduce {
    static constexpr int THREADS = X * Y * Z;
    static constexpr int WARPS = (X * Y * Z + 31) / 32;
    struct TempStorage { T warps[WARPS]; };
    TempStorage *storage;
    __device__ explicit BlockReduce(TempStorage &given) : storage(&given) {}
    template <typename Op> __device__ T Reduce(T v, Op op) {
        int warp = own_rank() / 32;
        int lanes = min(THREADS - 32 * warp, 32);
        v = own_reduce<T, Op>(v, op, lanes, lanes < 32 ? (1u << lanes) - 1u : 0xffffffffu);
        if (own_rank() % 32 == 0) storage->warps[warp] = v;
        __syncthreads();
        if (own_rank() == 0) {
            for (int i = 1; i < WARPS; ++i) v = op(v, storage->warps[i]);
        }
        return v;
    }
    __device__ T Sum(T v) { return Reduce<OwnSum>(v, OwnSum()); }
};

template <typename T, int X, int ALGORITHM = 0, int Y = 1, int Z = 1> struct BlockScan {
    static constexpr int THREADS = X * Y * Z;
    static constexpr int WARPS = (X * Y * Z + 31) / 32;
    struct TempStorage { T warps[WARPS]; };
    TempStorage *storage;
    __device__ explicit BlockScan(TempStorage &given) : storage(&given) {}
    __device__ void ExclusiveSum(T v, T &out, T &total) {
        int warp = own_rank() / 32;
        unsigned mask = THREADS - 32 * warp < 32 ? (1u << (THREADS % 32)) - 1u : 0xffffffffu;
        T mine = own_scan<T>(v, mask), left = own_left<T>(mine, mask), up;
        if (own_rank() % 32 == 31 || own_rank() == THREADS - 1) storage->warps[warp] = mine;
        __syncthreads();
        total = storage->warps[0];
        for (int i = 1; i < WARPS; ++i) {
            if (i == warp) up = total;
            total = total + storage->warps[i];
        }
        if (own_rank() == 0) out = T(0);
        else if (own_rank() % 32 == 0) out = up;
        else out = warp == 0 ? left : up + left;
    }
    __device__ void ExclusiveSum(T v, T &out) { T total; ExclusiveSum(v, out, total); }
};

}
#endif
