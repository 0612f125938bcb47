// grid 2, block 32
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    float a[6] = {in[t], f[t]}; int m[2][3] = {{1, 2}, {at[t]}}; a[t % 6] += m[t % 2][t % 3];
    for (int i = 0; i < 2; ++i) { int b[2]; b[i] = i; b[1 - i] = at[t]; a[i] += b[0] * b[1]; }
    out[t] = a[t % 5] + a[5];
}
