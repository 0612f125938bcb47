// grid 2, block 32
__device__ float twice(float x) { return x + x; }
__device__ float add(const float *p, int i, float x) { if (i > 40) return x; return p[i] + x; }
__device__ void store(float *p, int i, float x) { p[i] = x; __syncthreads(); p[i] += 1; }
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    out[t] = add(in, at[t], twice(f[t])) + add(f, (int)twice(at[t]) % 64, in[t]); store(out, t, out[t] + in[t]);
}
