// Softmax: the largest, then the sum, both with one array in shared memory. Broken: the sum begins while others
// still read the largest.
__device__ float largest_of_block(float v, float *s)
{
    s[threadIdx.x] = v;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (threadIdx.x < d)
            s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + d]);
        __syncthreads();
    }
    return s[0];
}
__device__ float total_of_block(float v, float *s)
{
    s[threadIdx.x] = v;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (threadIdx.x < d)
            s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    return s[0];
}
extern "C" __global__ void softmax_shared_again(const float *in, float *out)
{
    __shared__ float s[64];
    float v = in[blockIdx.x * 64 + threadIdx.x];
    float m = largest_of_block(v, s);
    float e = expf(v - m);
    out[blockIdx.x * 64 + threadIdx.x] = e / total_of_block(e, s);
}

/* hazard
trace = "--grid 2 --block 64 --arg in=f32[128]:random(1) --arg out=f32[128]:uninit"
hazards = [{ kind = "data-race", array = "s", lines = [12, 16] }]
seen = ["racecheck"]
*/
