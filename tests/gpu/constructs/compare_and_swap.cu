// grid 2, block 32
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    int old = atomicCAS(&g[t], t, at[t]); out[t] = old + atomicExch(&g[t], old) + atomicMin(&g[t], 3);
}
