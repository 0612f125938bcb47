// Stores a result. Broken: every thread of the grid stores its own one, to the same place.
extern "C" __global__ void everyone_writes_one_element(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[0] = in[i];
}

/* hazard
trace = "--grid 2 --block 32 --arg in=i32[64]:iota --arg out=i32[1]:uninit"
hazards = [{ kind = "data-race", array = "out", lines = [5] }]
seen = []
unseen = "racecheck watches shared memory only, not global memory."
*/
