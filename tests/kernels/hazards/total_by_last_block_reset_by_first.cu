// Sum of everything in one launch. Broken: the first block resets the counter, when it likes.
extern "C" __global__ void total_by_last_block_reset_by_first(const int *in, int *parts, unsigned int *arrived, int *total)
{
    __shared__ bool last;
    int t = threadIdx.x;
    int v = in[blockIdx.x * 32 + t];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d);
    if (t == 0) {
        parts[blockIdx.x] = v;
        __threadfence();
        last = atomicInc(arrived, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (blockIdx.x == 0 && t == 0)
        *arrived = 0;
    if (last && t == 0) {
        int sum = 0;
        for (int b = 0; b < gridDim.x; ++b)
            sum += parts[b];
        *total = sum;
    }
}

/* hazard
trace = '''
    --grid 5 --block 32 --arg in=i32[160]:ones --arg parts=i32[5]:uninit --arg arrived=u32[1]:zeros
    --arg total=i32[1]:uninit'''
hazards = [{ kind = "data-race", array = "arrived", lines = [12, 16] }]
seen = []
unseen = "racecheck watches shared memory only, not global memory."
*/
