// grid 2, block 32
__constant__ float w[4] = {1, 2, 3, 4}; __constant__ float scale = 2.5f;
__device__ int counter; __device__ int table[64]; const int more = 3;
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    out[t] = w[t % 4] * in[t] + scale; if (t == 0) counter += 2; table[t] = n + more; g[t] = table[t];
}
