// grid 2, block 32
template <typename T> struct Tile { __device__ operator T *() { __shared__ T s[32]; return s; } };
struct Number { int n; __device__ Number(int m) : n(m) {} __device__ operator int() const { return n; } };
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    float *s = Tile<float>(); s[threadIdx.x] = in[t]; __syncthreads(); const Number w(at[t]);
    int m = w; out[t] = s[31 - threadIdx.x] + m;
}
