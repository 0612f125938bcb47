// Counts the even numbers of each block. Nobody else counts there: an atomic for the block will do.
extern "C" __global__ void counters_of_blocks(const int *in, int *counts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] % 2 == 0)
        atomicAdd_block(&counts[blockIdx.x], 1);
}

/* hazard
trace = "--grid 3 --block 64 --arg in=i32[192]:mod(3) --arg counts=i32[3]:zeros"
hazards = []
first = { counts = [43, 42, 43] }
seen = []
*/
