// grid 2, block 32
struct Sum { float x; int n; __device__ Sum(float a) : x(a), n(1) {}
__device__ void add(float a) { x += a; n++; } __device__ float total() const { return x + n; } };
__device__ Sum operator+(const Sum &a, const Sum &b) { Sum r(a.x + b.x); r.n = a.n + b.n; return r; }
__device__ void operator+=(Sum &a, float b) { a.x += b; }
struct View { const float *p; int n; __device__ float at(int i) const { return p[i % n]; }
__device__ float operator()(int i) const { return at(i) * 2; } };
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    Sum s(in[t]); s.add(f[t]); s.add(in[at[t]]); Sum r = s + Sum(at[t]); r += 1.0f;
    out[t] = r.total() + s.total();
    View v{in, 64}; out[t] += v.at(at[t] + 1) + v(t);
}
