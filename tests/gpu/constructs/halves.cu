// grid 2, block 32, on a GPU only
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    __shared__ half s[32]; s[threadIdx.x] = __float2half(in[t]); __syncthreads();
    half x = s[31 - threadIdx.x]; out[t] = __half2float(__hadd(x, x));
}
