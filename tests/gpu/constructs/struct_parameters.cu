// grid 2, block 32
struct Job { const float *from; float scale; int n; };
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n, Job q)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    out[t] = q.scale * q.from[t] + q.n;
}
