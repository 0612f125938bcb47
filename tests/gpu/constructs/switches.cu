// grid 2, block 32
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    float x = 0; switch (at[t] % 4) { case 0: x = in[t]; break; case 1: x = f[t];
    case 2: { x += in[at[t]]; break; }
    default: x = -1; } out[t] = x;
}
