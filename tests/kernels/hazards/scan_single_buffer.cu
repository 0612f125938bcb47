// Inclusive prefix sum. Broken: with one buffer a thread reads what its neighbour may already have changed.
extern "C" __global__ void scan_single_buffer(const int *in, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int d = 1; d < 64; d *= 2) {
        if (t >= d)
            s[t] += s[t - d];
        __syncthreads();
    }
    out[t] = s[t];
}

/* hazard
trace = "--grid 1 --block 64 --arg in=i32[64]:ones --arg out=i32[64]:uninit"
hazards = [{ kind = "data-race", array = "s", lines = [10] }]
seen = ["racecheck"]
*/
