// Counts values. Broken: threads add to one bin without an atomic, and counts get lost.
extern "C" __global__ void histogram_without_atomic(const int *in, int *bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        bins[in[i]] += 1;
}

/* hazard
trace = "--grid 2 --block 64 --arg in=i32[100]:mod(16) --arg bins=i32[16]:zeros --arg n=100"
hazards = [{ kind = "data-race", array = "bins", lines = [6] }]
seen = []
unseen = "racecheck watches shared memory only, not global memory."
*/
