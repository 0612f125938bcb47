// The last steps of a sum as they were written before Volta. Broken: nothing separates the levels.
extern "C" __global__ void warp_sum_unrolled_no_syncwarp(const int *in, int *out)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncwarp();
    for (int d = 16; d > 0; d /= 2)
        if (t < d)
            s[t] += s[t + d];
    if (t == 0)
        out[0] = s[0];
}

/* hazard
trace = "--grid 1 --block 32 --arg in=i32[32]:iota --arg out=i32[1]:uninit"
hazards = [{ kind = "data-race", array = "s", lines = [10] }]
seen = ["racecheck"]
*/
