// The greatest of all numbers.
extern "C" __global__ void maximum(const int *in, int *best)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicMax(best, in[i]);
}

/* hazard
trace = "--grid 2 --block 64 --arg in=i32[128]:randint(0,1000,3) --arg best=i32[1]:zeros"
hazards = []
seen = []
*/
