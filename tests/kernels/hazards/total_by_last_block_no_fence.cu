// Sum of everything in one launch. Broken: the counter may be seen before the part that it tells of.
extern "C" __global__ void total_by_last_block_no_fence(const int *in, int *parts, unsigned int *arrived, int *total)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int k = 0; k < 64; ++k)
            sum += in[blockIdx.x * 64 + k];
        parts[blockIdx.x] = sum;
        last = atomicAdd(arrived, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int sum = 0;
        for (int b = 0; b < gridDim.x; ++b)
            sum += parts[b];
        total[0] = sum;
    }
}

/* hazard
trace = '''
    --grid 4 --block 64 --arg in=i32[256]:iota --arg parts=i32[4]:uninit --arg arrived=u32[1]:zeros
    --arg total=i32[1]:uninit'''
hazards = [{ kind = "data-race", array = "parts", lines = [9, 16] }]
seen = []
unseen = "racecheck watches shared memory only, not global memory."
*/
