// Sum of a block in two levels: a shuffle in each warp, then one warp over the warps' sums.
__device__ int warp_sum(int x)
{
    for (int d = 16; d > 0; d >>= 1)
        x += __shfl_xor_sync(0xffffffff, x, d);
    return x;
}

extern "C" __global__ void block_sum_shuffle(const int *in, int *out)
{
    __shared__ int parts[32];
    int t = threadIdx.x, warp = t / 32, sum = warp_sum(in[blockIdx.x * blockDim.x + t]);
    if (t % 32 == 0)
        parts[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = warp_sum(t < blockDim.x / 32 ? parts[t] : 0);
        if (t == 0)
            out[blockIdx.x] = sum;
    }
}

/* hazard
trace = "--grid 2 --block 128 --arg in=i32[256]:iota --arg out=i32[2]:uninit"
hazards = []
seen = []
first = { out = [8128, 24512] }
*/
