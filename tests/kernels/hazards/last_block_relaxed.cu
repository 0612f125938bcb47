// The block that comes last adds up; the counter both releases and acquires. Broken: the counter is relaxed.
#include <cuda/atomic>
extern "C" __global__ void last_block_relaxed(const int *in, int *parts, unsigned int *arrived, int *total)
{
    __shared__ bool last;
    int t = threadIdx.x;
    int v = in[blockIdx.x * 32 + t];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d);
    if (t == 0) {
        parts[blockIdx.x] = v;
        cuda::atomic_ref<unsigned int, cuda::thread_scope_device> a(*arrived);
        last = a.fetch_add(1, cuda::memory_order_relaxed) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        int sum = t < gridDim.x ? parts[t] : 0;
        for (int d = 16; d > 0; d /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, d);
        if (t == 0)
            *total = sum;
    }
}

/* hazard
trace = '''
    --grid 5 --block 32 --arg in=i32[160]:ones --arg parts=i32[5]:uninit --arg arrived=u32[1]:zeros --arg
    total=i32[1]:uninit'''
hazards = [{ kind = "data-race", array = "parts", lines = [11, 17] }]
seen = []
unseen = "racecheck watches shared memory only, not global memory."
*/
