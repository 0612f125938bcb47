// Counts values. Broken: the values go from 0 to 16, and there are 16 bins.
extern "C" __global__ void histogram_bin_too_many(const int *in, int *bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[in[i]], 1);
}

/* hazard
trace = "--grid 2 --block 64 --arg in=i32[100]:mod(17) --arg bins=i32[16]:zeros --arg n=100"
hazards = [{ kind = "out-of-bounds", array = "bins", lines = [6] }]
seen = ["memcheck"]
*/
