// Reverses each block's elements in dynamic shared memory.
extern "C" __global__ void dynamic_shared_reverse(const float *in, float *out)
{
    extern __shared__ float s[];
    int t = threadIdx.x, base = blockIdx.x * blockDim.x;
    s[t] = in[base + t];
    __syncthreads();
    out[base + t] = s[blockDim.x - 1 - t];
}

/* hazard
trace = "--grid 2 --block 64 --dynamic-shared 256 --arg in=f32[128]:iota --arg out=f32[128]:uninit"
hazards = []
seen = []
first = { out = [63, 62, 61, 60, 59, 58, 57, 56] }
*/
