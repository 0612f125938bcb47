// grid 2, block 32, on a GPU only
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    float x = __shfl_down(in[t], 1) + __shfl_xor(in[t], 4, 8) + __shfl(f[t], at[t] % 32);
    out[t] = x + __popc(__ballot(at[t] > 9)) + __any(g[t] > 60) + __half2float(__float2half_rn(x));
}
