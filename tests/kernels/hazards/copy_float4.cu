// Copies four elements at a time.
extern "C" __global__ void copy_float4(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4)
        reinterpret_cast<float4 *>(out)[i] = reinterpret_cast<const float4 *>(in)[i];
}

/* hazard
trace = "--grid 2 --block 32 --arg in=f32[200]:iota --arg out=f32[200]:uninit --arg n=200"
hazards = []
seen = []
first = { out = [0, 1, 2, 3, 4, 5, 6, 7] }
*/
