// Filter with warp-aggregated atomics: keep the positive values. The order of the result is free.
__device__ int atomicAggInc(int *counter)
{
    unsigned active = __activemask();
    int leader = __ffs(active) - 1;
    int change = __popc(active);
    int lane = threadIdx.x % 32;
    unsigned rank = __popc(active & ((1u << lane) - 1));
    int base;
    if (lane == leader)
        base = atomicAdd(counter, change);
    base = __shfl_sync(active, base, leader);
    return base + rank;
}

__global__ void filter_k(int *dst, int *nres, const int *src, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n)
        return;
    if (src[i] > 0)
        dst[atomicAggInc(nres)] = src[i];
}
