// grid 2,1,2, block 2,4,2
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    int u = threadIdx.x + 2 * threadIdx.y + 8 * threadIdx.z; int b = blockIdx.x + blockIdx.y * 2 + blockIdx.z * 2;
    out[(u + 16 * b) % 64] = in[u] + b + t;
}
