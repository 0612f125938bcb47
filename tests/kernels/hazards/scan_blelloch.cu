// Exclusive prefix sum of a block (Blelloch): up the tree, then down again; padding avoids bank conflicts.
#define AT(i) ((i) + (i) / 32)

extern "C" __global__ void scan_blelloch(const int *in, int *out)
{
    __shared__ int s[AT(128)];
    int t = threadIdx.x, d = 1;
    s[AT(2 * t)] = in[2 * t];
    s[AT(2 * t + 1)] = in[2 * t + 1];
    for (int active = 64; active > 0; active /= 2, d *= 2) {
        __syncthreads();
        if (t < active)
            s[AT(d * (2 * t + 2) - 1)] += s[AT(d * (2 * t + 1) - 1)];
    }
    if (t == 0)
        s[AT(127)] = 0;
    for (int active = 1; active < 128; active *= 2) {
        d /= 2;
        __syncthreads();
        if (t < active) {
            int left = AT(d * (2 * t + 1) - 1), right = AT(d * (2 * t + 2) - 1), x = s[left];
            s[left] = s[right];
            s[right] += x;
        }
    }
    __syncthreads();
    out[2 * t] = s[AT(2 * t)];
    out[2 * t + 1] = s[AT(2 * t + 1)];
}

/* hazard
trace = "--grid 1 --block 64 --arg in=i32[128]:ones --arg out=i32[128]:uninit"
hazards = []
seen = []
first = { out = [0, 1, 2, 3, 4, 5, 6, 7] }
*/
