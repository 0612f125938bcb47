// Two warps make, two warps use, with the hardware's barriers 1 and 2.
extern "C" __global__ void named_barriers(const int *in, int *out, int tiles)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    for (int k = 0; k < tiles; ++k) {
        if (t < 64)
            s[t] = in[k * 64 + t];
        asm volatile("bar.sync 1, 128;" : : : "memory");
        if (t >= 64)
            out[k * 64 + t - 64] = s[127 - t];
        asm volatile("bar.sync 2, 128;" : : : "memory");
    }
}

/* hazard
trace = "--grid 1 --block 128 --arg in=i32[256]:iota --arg out=i32[256]:uninit --arg tiles=4"
hazards = []
first = { out = [63, 62, 61, 60, 59, 58, 57, 56] }
seen = []
*/
