// Sums tiles that the whole block copies two stages ahead.
#include <cuda/pipeline>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void sum_pipeline(const float *in, float *out, int tiles)
{
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ float s[2][64];
    cg::thread_block block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int t = threadIdx.x;
    float sum = 0;
    for (int k = 0, filled = 0; k < tiles; ++k) {
        for (; filled < tiles && filled < k + 2; ++filled) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, s[filled % 2], in + filled * 64, sizeof(float) * 64, pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += s[k % 2][63 - t];
        pipe.consumer_release();
    }
    out[t] = sum;
}

/* hazard
trace = "--grid 1 --block 64 --arg in=f32[384]:ones --arg out=f32[64]:uninit --arg tiles=6"
hazards = []
first = { out = [6.0, 6.0, 6.0, 6.0, 6.0, 6.0, 6.0, 6.0] }
endless = true
seen = []
*/
