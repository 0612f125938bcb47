// grid 2, block 32
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    out[t] = 1; out[t] += out[t] * in[at[t]]; g[at[t]] -= g[at[t]] + at[t]; out[t] *= out[t] + n;
}
