// grid 2, block 32
__device__ float later(float a, int b, float c) { float *p = &a; int *q = &b; *p += *q; return *p * c; }
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    out[t] = later(in[t], at[t], f[at[t]]);
}
