// grid 2, block 32
struct W { float by; int n; }; __device__ float total(const W *w) { return w->by + w->n; }
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n, W w, int m)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    int *p = &m; *p += t; out[t] = total(&w) * in[t] + m;
}
