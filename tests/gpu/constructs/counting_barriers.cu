// grid 2, block 32, on a GPU only
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    __shared__ int s[32]; s[threadIdx.x] = at[t]; int c = __syncthreads_count(at[t] > 10);
    out[t] = c + s[31 - threadIdx.x];
}
