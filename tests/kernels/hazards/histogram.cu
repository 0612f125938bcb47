// Counts values: each block in its own shared bins, then all blocks into the global ones, with atomics.
extern "C" __global__ void histogram(const int *in, int *bins, int n)
{
    __shared__ int mine[16];
    int t = threadIdx.x;
    if (t < 16)
        mine[t] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&mine[in[i]], 1);
    __syncthreads();
    if (t < 16)
        atomicAdd(&bins[t], mine[t]);
}

/* hazard
trace = "--grid 2 --block 64 --arg in=i32[320]:mod(16) --arg bins=i32[16]:zeros --arg n=320"
hazards = []
seen = []
first = { bins = [20, 20, 20, 20, 20, 20, 20, 20] }
*/
