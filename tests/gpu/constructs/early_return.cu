// grid 2, block 32
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    if (at[t] > 30) return; __shared__ int s[32]; s[threadIdx.x] = 1; out[t] = s[threadIdx.x];
}
