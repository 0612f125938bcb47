// Four steps of averaging with two arrays; the whole grid waits between the steps.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void heat_of_the_grid(float *a, float *b, int n)
{
    cg::grid_group grid = cg::this_grid();
    for (int step = 0; step < 4; ++step) {
        for (int i = grid.thread_rank(); i < n; i += grid.size()) {
            float l = a[i > 0 ? i - 1 : 0], r = a[i < n - 1 ? i + 1 : n - 1];
            b[i] = (l + r) / 2;
        }
        grid.sync();
        float *swap = a;
        a = b;
        b = swap;
    }
}

/* hazard
trace = "--grid 3 --block 64 --arg a=f32[300]:iota --arg b=f32[300]:uninit --arg n=300"
hazards = []
first = { a = [1.1875, 1.5625, 2.1875, 3.0625, 4.0, 5.0, 6.0, 7.0] }
endless = true
seen = []
*/
