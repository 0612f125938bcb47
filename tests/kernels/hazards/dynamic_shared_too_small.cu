// Reverses each block's elements. Broken: the launch gives half the bytes that the block needs.
extern "C" __global__ void dynamic_shared_too_small(const float *in, float *out)
{
    extern __shared__ float s[];
    int t = threadIdx.x, base = blockIdx.x * blockDim.x;
    s[t] = in[base + t];
    __syncthreads();
    out[base + t] = s[blockDim.x - 1 - t];
}

/* hazard
trace = "--grid 2 --block 256 --dynamic-shared 512 --arg in=f32[512]:iota --arg out=f32[512]:uninit"
hazards = [
    { kind = "out-of-bounds", array = "s", lines = [6] },
    { kind = "out-of-bounds", array = "s", lines = [8] },
]
seen = ["memcheck"]
*/
