// Sum of everything: each block adds its part to one total. Broken: without an atomic parts get lost.
extern "C" __global__ void block_sums_to_total_plain(const float *in, float *total)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    for (int d = 32; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        total[0] += s[0];
}

/* hazard
trace = "--grid 4 --block 64 --arg in=f32[256]:iota --arg total=f32[1]:zeros"
hazards = [{ kind = "data-race", array = "total", lines = [14] }]
seen = []
unseen = "racecheck watches shared memory only, not global memory."
*/
