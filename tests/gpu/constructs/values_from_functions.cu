// grid 2, block 32
struct N { int n; __device__ N &operator++() { ++n; return *this; }
__device__ N operator++(int) { N old = *this; ++n; return old; }
__device__ N &operator+=(int m) { n += m; return *this; } __device__ int twice() { return n *= 2; }
__device__ static int count() { return 7; } };
struct Pair { int a, b; }; struct Rest { float x[2]; float y; };
struct Row { float v[2]; float w; __device__ float operator[](int i) const { return v[i] * w; }
__device__ Rest rest() const { return {{v[0], v[1]}, w}; } };
struct C { float re; __device__ C(float x) : re(x) {} };
__device__ N made() { return {4}; } __device__ int nothing(float, N) { return 5; }
__device__ C operator*(const C &a, const C &b) { C c = a.re * b.re; return c; }
__device__ C half_of(const C &c) { return c * 0.5f; }
__device__ float half_of(int i) { C one = 3; return (one * C(0.5f)).re + i; }
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    N a{at[t]}; ++a; N b = a++; a += 3; b = ++a; out[t] = made().twice() + nothing(in[t], a) + a.n * b.n;
    __shared__ N s[32]; s[threadIdx.x] = a; s[threadIdx.x] += at[t]; ++s[threadIdx.x]; Row r{{1, 2}, f[t]};
    out[t] += r[t % 2] + s[threadIdx.x].n + s[0 * t + threadIdx.x].count() + half_of(at[t]) + half_of(C(2)).re;
    auto [x, y] = r.rest(); for (auto [i, j] = Pair{0, 2}; g[t] < j; ++g[t]) out[t] += x[i] + y;
}
