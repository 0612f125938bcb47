// grid 2, block 32
__device__ float half_of(float x) { return x / 2; } __device__ int half_of(int x) { return x / 2; }
__device__ float half_of(int n, float x, float y = 1.0f) { return n * x + y; }
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    out[t] = half_of(in[t]) + half_of(at[t]) + half_of(at[t], in[t]);
}
