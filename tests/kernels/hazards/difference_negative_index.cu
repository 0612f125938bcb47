// Differences of neighbours. Broken: thread 0 has no left neighbour and reads in front of the array.
extern "C" __global__ void difference_negative_index(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] - in[i - 1];
}

/* hazard
trace = "--grid 2 --block 64 --arg in=f32[100]:iota --arg out=f32[100]:uninit --arg n=100"
hazards = [{ kind = "out-of-bounds", array = "in", lines = [6] }]
seen = ["memcheck"]
*/
