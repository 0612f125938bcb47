// The greatest of all numbers. Broken: to save atomics each thread looks at the best one first, plainly.
extern "C" __global__ void maximum_looked_at_before(const int *in, int *best)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (best[0] < in[i])
        atomicMax(best, in[i]);
}

/* hazard
trace = "--grid 2 --block 64 --arg in=i32[128]:randint(0,1000,3) --arg best=i32[1]:zeros"
hazards = [{ kind = "data-race", array = "best", lines = [5, 6] }]
seen = []
unseen = "racecheck watches shared memory only, not global memory."
*/
