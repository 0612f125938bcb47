// Copies four elements at a time, without the first one. Broken: the source starts at no multiple of 16 bytes.
extern "C" __global__ void copy_float4_misaligned(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4)
        reinterpret_cast<float4 *>(out)[i] = *reinterpret_cast<const float4 *>(in + 4 * i + 1);
}

/* hazard
trace = "--grid 2 --block 32 --arg in=f32[204]:iota --arg out=f32[200]:uninit --arg n=200"
hazards = [{ kind = "misaligned-access", array = "in", lines = [6] }]
seen = ["memcheck"]
*/
