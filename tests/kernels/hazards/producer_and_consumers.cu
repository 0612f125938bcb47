// One warp fills two buffers in turn, the others add them up; two barriers for each buffer say "full" and "empty".
#include <cuda/barrier>
extern "C" __global__ void producer_and_consumers(const float *in, float *out, int tiles)
{
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ barrier full[2], empty[2];
    __shared__ float s[2][32];
    int t = threadIdx.x;
    if (t < 2) {
        init(&full[t], blockDim.x);
        init(&empty[t], blockDim.x);
    }
    __syncthreads();
    if (t < 32) {
        for (int k = 0; k < tiles; ++k) {
            empty[k % 2].arrive_and_wait();
            s[k % 2][t] = in[k * 32 + t];
            full[k % 2].arrive();
        }
    } else {
        empty[0].arrive();
        empty[1].arrive();
        float sum = 0;
        for (int k = 0; k < tiles; ++k) {
            full[k % 2].arrive_and_wait();
            sum += s[k % 2][31 - t % 32];
            empty[k % 2].arrive();
        }
        out[t - 32] = sum;
    }
}

/* hazard
trace = "--grid 1 --block 96 --arg in=f32[192]:iota --arg out=f32[64]:uninit --arg tiles=6"
hazards = []
first = { out = [666.0, 660.0, 654.0, 648.0, 642.0, 636.0, 630.0, 624.0] }
seen = []
*/
