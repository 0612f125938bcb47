// grid 2, block 32
struct Pair { float x; int n; };
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    __shared__ Pair s[32]; s[threadIdx.x] = Pair{in[t], at[t]}; s[threadIdx.x].n += 1; __syncthreads();
    Pair p = s[31 - threadIdx.x], q; q = p; q.x *= 2; Pair *r = &s[threadIdx.x]; out[t] = p.x + q.x + r->n;
    Pair two[2] = {{1.0f, 2}, p}; out[t] += two[t % 2].x + two[1].n; q = {3.0f, at[t]}; g[t] = q.n;
}
