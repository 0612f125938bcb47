// grid 2, block 32
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    out[t] = in[t] * in[at[t]] - (in[(t + 1) % 64] < f[t] ? at[t] : f[at[t]]) / (f[t] + 1);
}
