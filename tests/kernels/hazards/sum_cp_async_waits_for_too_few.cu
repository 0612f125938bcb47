// Sums 16 tiles; while one is added, the next one is on its way into the other buffer. Broken: the wait leaves the
// tile that is read now in flight.
#include <cuda_pipeline.h>
extern "C" __global__ void sum_cp_async_waits_for_too_few(const float *in, float *out, int tiles)
{
    __shared__ float s[2][64];
    int t = threadIdx.x;
    float sum = 0;
    __pipeline_memcpy_async(&s[0][t], &in[t], 4);
    __pipeline_commit();
    for (int k = 0; k < tiles; ++k) {
        if (k + 1 < tiles)
            __pipeline_memcpy_async(&s[(k + 1) % 2][t], &in[(k + 1) * 64 + t], 4);
        __pipeline_commit();
        __pipeline_wait_prior(2);
        __syncthreads();
        sum += s[k % 2][63 - t];
        __syncthreads();
    }
    out[t] = sum;
}

/* hazard
trace = "--grid 1 --block 64 --arg in=f32[1024]:ones --arg out=f32[64]:uninit --arg tiles=16"
hazards = [
    { kind = "data-race", array = "s", lines = [9, 17] },
    { kind = "data-race", array = "s", lines = [13, 17] },
]
seen = ["racecheck"]
*/
