// grid 2, block 32
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    float a[4]; memset(a, 0, sizeof(a)); a[t % 4] += in[t]; int b[2]; memcpy(b, at + t / 2 * 2, sizeof b);
    out[t] = a[0] + a[at[t] % 4] + b[t % 2];
}
