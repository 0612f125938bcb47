// Blocks beyond the end return as a whole, so every thread of the others comes to the barrier.
extern "C" __global__ void barrier_for_whole_blocks(const float *in, float *out, int blocks)
{
    __shared__ float s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    if (blockIdx.x >= blocks)
        return;
    s[t] = in[i];
    __syncthreads();
    out[i] = s[t] + s[63 - t];
}

/* hazard
trace = "--grid 3 --block 64 --arg in=f32[128]:iota --arg out=f32[128]:uninit --arg blocks=2"
hazards = []
seen = []
first = { out = [63, 63, 63, 63, 63, 63, 63, 63] }
*/
