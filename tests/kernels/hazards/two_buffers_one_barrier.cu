// Product of a row of tiles with two buffers: one barrier for each tile is enough.
extern "C" __global__ void two_buffers_one_barrier(const float *a, float *out, int tiles)
{
    __shared__ float s[2][64];
    int t = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < tiles; ++k) {
        s[k % 2][t] = a[k * 64 + t];
        __syncthreads();
        for (int i = 0; i < 64; i += 7)
            sum += s[k % 2][(t + i) % 64];
    }
    out[t] = sum;
}

/* hazard
trace = "--grid 1 --block 64 --arg a=f32[512]:ones --arg out=f32[64]:uninit --arg tiles=8"
hazards = []
first = { out = [80.0, 80.0, 80.0, 80.0, 80.0, 80.0, 80.0, 80.0] }
seen = []
*/
