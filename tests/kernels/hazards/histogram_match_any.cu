// Histogram: equal lanes of a warp are counted together.
extern "C" __global__ void histogram_match_any(const int *in, int *bins)
{
    int b = in[blockIdx.x * blockDim.x + threadIdx.x];
    unsigned int same = __match_any_sync(0xffffffff, b);
    if (__ffs(same) - 1 == threadIdx.x % 32)
        atomicAdd(&bins[b], __popc(same));
}

/* hazard
trace = "--grid 2 --block 64 --arg in=i32[128]:mod(7) --arg bins=i32[7]:zeros"
hazards = []
first = { bins = [19, 19, 18, 18, 18, 18, 18] }
seen = []
*/
