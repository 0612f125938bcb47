// grid 2, block 32
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    float a[4]; memcpy(a, at + t / 4 * 4, sizeof(a)); float4 b; memcpy(&b, at + t / 4 * 4, sizeof(b));
    out[t] = a[t % 4] + b.y; unsigned char c[4]; memcpy(c, &a[1], 4); g[t] = c[t % 4];
}
