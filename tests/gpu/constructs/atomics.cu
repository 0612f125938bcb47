// grid 2, block 32
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    atomicAdd(&g[at[t] % 4], at[t]); __shared__ int c; if (threadIdx.x == 0) c = 0; __syncthreads();
    atomicMax(&c, at[t]); __syncthreads(); out[t] = c;
}
