// grid 2, block 32
struct Pair { float x; int n; }; __device__ void fill(int *p, int v) { *p = v; *p += 1; }
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    float x = in[t]; int m; fill(&m, at[t]); float *p = &x; *p += m; float y = x; out[t] = y + *p;
    Pair q = {x, m}; Pair *r = &q; r->n += 1; out[t] += q.n + r->x;
}
