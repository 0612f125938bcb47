// grid 2, block 32
struct A { float x; int n; __device__ A(float v) : x(v), n(1) {} __device__ float get() const { return x; }
__device__ void add(float d) { x += d; } }; struct D { int a; }; struct E : D { int c; };
struct B : public A { float y; __device__ B(float a, float b) : A(a), y(b) {}
__device__ float sum() const { return get() + y + A::get(); } };
template <typename T> struct Twice { T v; __device__ Twice(T x) : v(2 * x) {} };
__device__ float use(const A &a) { return a.get(); } __device__ float by_value(A a) { return a.x; }
__device__ void bump(A *a) { a->add(1); }
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    B b(in[t], 2.0f); A &a = b; a.add(f[t]); out[t] = b.sum() + use(b) + b.A::get() + by_value(b);
    B *p = &b; A *q = p; q->x += in[at[t]]; bump(p); out[t] += b.x; __shared__ E s[32]; s[threadIdx.x].c = at[t];
    D *d = &s[threadIdx.x]; d->a = n; out[t] += d->a + s[threadIdx.x].c; Twice<float> w(in[t]); out[t] += w.v;
}
