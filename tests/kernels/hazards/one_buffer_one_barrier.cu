// Product of a row of tiles with two buffers: one barrier for each tile is enough. Broken: there is one buffer
// alone.
extern "C" __global__ void one_buffer_one_barrier(const float *a, float *out, int tiles)
{
    __shared__ float s[1][64];
    int t = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < tiles; ++k) {
        s[k % 1][t] = a[k * 64 + t];
        __syncthreads();
        for (int i = 0; i < 64; i += 7)
            sum += s[k % 1][(t + i) % 64];
    }
    out[t] = sum;
}

/* hazard
trace = "--grid 1 --block 64 --arg a=f32[512]:ones --arg out=f32[64]:uninit --arg tiles=8"
hazards = [{ kind = "data-race", array = "s", lines = [9, 12] }]
seen = ["racecheck"]
*/
