// Counts the even numbers. Broken: the atomic is one for the threads of a block, and three blocks count.
extern "C" __global__ void counter_of_blocks_together(const int *in, int *counts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] % 2 == 0)
        atomicAdd_block(&counts[0], 1);
}

/* hazard
trace = "--grid 3 --block 64 --arg in=i32[192]:mod(3) --arg counts=i32[3]:zeros"
hazards = [{ kind = "data-race", array = "counts", lines = [6] }]
seen = []
unseen = "racecheck watches shared memory only, not global memory."
*/
