// grid 2, block 32
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    __shared__ float s[32], q[32]; __pipeline_memcpy_async(&s[threadIdx.x], &in[t], 4); __pipeline_commit();
    __pipeline_memcpy_async(q + threadIdx.x, f + at[t], 4); __pipeline_commit(); g[t] = 1;
    __pipeline_wait_prior(1); float x = s[threadIdx.x]; __pipeline_wait_prior(0); __syncthreads();
    out[t] = x + q[31 - threadIdx.x];
}
