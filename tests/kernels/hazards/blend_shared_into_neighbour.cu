// out = left * right. Broken: 64 threads fill the 32 elements of `left`, and the upper 32 overwrite `right`.
extern "C" __global__ void blend_shared_into_neighbour(const float *a, const float *b, float *out)
{
    __shared__ float left[32];
    __shared__ float right[32];
    int t = threadIdx.x;
    if (t < 32)
        right[t] = b[t];
    __syncthreads();
    left[t] = a[t];
    __syncthreads();
    if (t < 32)
        out[t] = left[t] * right[t];
}

/* hazard
trace = "--grid 1 --block 64 --arg a=f32[64]:iota --arg b=f32[32]:ones --arg out=f32[32]:uninit"
hazards = [{ kind = "out-of-bounds", array = "left", lines = [10] }]
seen = []
unseen = "memcheck: both arrays are part of the block's shared memory, of which the address is a valid part."
*/
