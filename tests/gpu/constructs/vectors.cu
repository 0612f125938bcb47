// grid 1, block 32
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    const float4 *p = reinterpret_cast<const float4 *>(in); float4 v = p[t % 16]; v.x += f[t];
    float2 w = make_float2(v.x, v.w); reinterpret_cast<float2 *>(out)[t % 32 + blockIdx.x * 0] = w;
    __shared__ float4 s[32]; s[threadIdx.x] = v; __syncthreads(); g[t] = (int)s[31 - threadIdx.x].y;
}
