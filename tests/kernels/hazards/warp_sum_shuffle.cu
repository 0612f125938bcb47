// Sum of a warp without shared memory: each step adds the value of a lane further on.
extern "C" __global__ void warp_sum_shuffle(const int *in, int *out)
{
    int t = threadIdx.x, sum = in[t];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    if (t % 32 == 0)
        out[t / 32] = sum;
}

/* hazard
trace = "--grid 1 --block 64 --arg in=i32[64]:iota --arg out=i32[2]:uninit"
hazards = []
seen = []
first = { out = [496, 1520] }
*/
