// Four steps of averaging with two arrays; the whole grid waits between the steps. Broken: each block waits for
// itself alone.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void heat_of_the_grid_block_barrier(float *a, float *b, int n)
{
    cg::grid_group grid = cg::this_grid();
    for (int step = 0; step < 4; ++step) {
        for (int i = grid.thread_rank(); i < n; i += grid.size()) {
            float l = a[i > 0 ? i - 1 : 0], r = a[i < n - 1 ? i + 1 : n - 1];
            b[i] = (l + r) / 2;
        }
        __syncthreads();
        float *swap = a;
        a = b;
        b = swap;
    }
}

/* hazard
trace = "--grid 3 --block 64 --arg a=f32[300]:iota --arg b=f32[300]:uninit --arg n=300"
hazards = [
    { kind = "data-race", array = "a", lines = [10, 11] },
    { kind = "data-race", array = "b", lines = [10, 11] },
]
endless = true
seen = []
unseen = "It needs a cooperative launch, so it is not run there."
*/
