// Inclusive prefix sum of a block (Hillis and Steele): two buffers take turns.
extern "C" __global__ void scan(const int *in, int *out)
{
    __shared__ int s[2][64];
    int t = threadIdx.x, now = 0;
    s[0][t] = in[t];
    __syncthreads();
    for (int d = 1; d < 64; d *= 2) {
        s[1 - now][t] = s[now][t] + (t >= d ? s[now][t - d] : 0);
        now = 1 - now;
        __syncthreads();
    }
    out[t] = s[now][t];
}

/* hazard
trace = "--grid 1 --block 64 --arg in=i32[64]:ones --arg out=i32[64]:uninit"
hazards = []
seen = []
first = { out = [1, 2, 3, 4, 5, 6, 7, 8] }
*/
