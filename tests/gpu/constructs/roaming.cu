// grid 2, block 32
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    const float *p = at[t] % 2 ? in : f; float *q = t % 3 ? out : nullptr; if (q) q[t] = p[t] + p[at[t]];
    const float *a = in, *b = f; for (int i = 0; i < 3; ++i) { const float *c = a; a = b; b = c; }
    out[t] = a[t] + b[at[t]];
}
