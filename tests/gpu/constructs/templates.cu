// grid 2, block 32
template <int N> __device__ float sum(const float *p, int t)
{ float s = 0; for (int i = 0; i < N; ++i) s += p[(t + i) % 64]; return s; }
template <typename T> __device__ T largest(T a, T b) { return a < b ? b : a; }
template <typename T, int W> __device__ void tile(const T *a, T *b, int t)
{ __shared__ T s[W]; s[threadIdx.x] = a[t]; __syncthreads(); b[t] += s[W - 1 - threadIdx.x]; }
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    out[t] = sum<4>(in, t) + largest(f[t], in[t]) + largest<int>(at[t], 3); tile<float, 32>(in, out, t);
}
