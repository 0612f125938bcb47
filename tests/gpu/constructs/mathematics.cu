// grid 2, block 32
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    out[t] = fmaxf(in[t], f[t]) + min(at[t], g[t]) + fmaf(in[t], f[t], in[at[t]]);
}
