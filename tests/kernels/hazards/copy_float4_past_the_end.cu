// Copies four elements at a time. Broken: the last group has two elements only.
extern "C" __global__ void copy_float4_past_the_end(const float4 *in, float4 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i < n)
        out[i] = in[i];
}

/* hazard
trace = "--grid 2 --block 32 --arg in=f32[48,4]:iota --arg out=f32[49,4]:zeros --arg n=194"
hazards = [{ kind = "out-of-bounds", array = "in", lines = [6] }]
seen = ["memcheck"]
*/
