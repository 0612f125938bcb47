// The last steps of a sum, in one warp: reads and writes of each level are separated by __syncwarp().
extern "C" __global__ void warp_sum_in_shared(const int *in, int *out)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncwarp();
    for (int d = 16; d > 0; d /= 2) {
        int other = t + d < 32 ? s[t + d] : 0;
        __syncwarp();
        s[t] += other;
        __syncwarp();
    }
    if (t == 0)
        out[0] = s[0];
}

/* hazard
trace = "--grid 1 --block 32 --arg in=i32[32]:iota --arg out=i32[1]:uninit"
hazards = []
seen = []
first = { out = [496] }
*/
