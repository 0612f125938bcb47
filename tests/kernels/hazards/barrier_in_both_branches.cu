// Two halves of a block do different work. Broken: each half waits at a barrier of its own.
extern "C" __global__ void barrier_in_both_branches(const float *in, float *out)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    if (t < 32) {
        s[t] = in[t] * 2.0f;
        __syncthreads();
    } else {
        s[t] = in[t] * 3.0f;
        __syncthreads();
    }
    out[t] = s[t];
}

/* hazard
trace = "--grid 1 --block 64 --arg in=f32[64]:iota --arg out=f32[64]:uninit"
hazards = [
    { kind = "barrier-divergence", array = "", lines = [8] },
    { kind = "barrier-divergence", array = "", lines = [11] },
]
seen = ["synccheck"]
*/
