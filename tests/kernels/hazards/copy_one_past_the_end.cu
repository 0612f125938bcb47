// Copies an array. Broken: `<=` lets one thread go one element past the end of both arrays.
extern "C" __global__ void copy_one_past_the_end(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        out[i] = in[i];
}

/* hazard
trace = "--grid 2 --block 64 --arg in=f32[100]:iota --arg out=f32[100]:uninit --arg n=100"
hazards = [
    { kind = "out-of-bounds", array = "in", lines = [6] },
    { kind = "out-of-bounds", array = "out", lines = [6] },
]
seen = ["memcheck"]
*/
