// grid 2, block 32
using one_t = float (*)(float); __device__ float inc(float x) { return x + 1; }
__device__ float mul(float a, float b) { return a * b; }
template <one_t f> __device__ float twice(float x) { return f(f(x)); }
template <typename F> __device__ float apply(F f, float a, float b) { return f(a, b); }
template <float (*f)(float, float), int N> __device__ float repeat(float x)
{ for (int i = 0; i < N; ++i) x = f(x, 2); return x; }
struct Less { __device__ float operator()(float a, float b) const { return a - b; } };
template <class F> __device__ float with(float a, float b) { F f; return f(a, b); }
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    out[t] = twice<inc>(in[t]) + apply(Less(), 9.0f, in[t]) + repeat<mul, 3>(in[t]) + Less()(f[t], in[t]);
    out[t] += with<Less>(in[at[t]], f[t]);
}
