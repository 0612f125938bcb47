// grid 2, block 32
struct A { struct Step { int v; __device__ int next() const { return v + 1; } }; };
struct B { struct Step { int v; __device__ int next() const { return v + 2; } };
static constexpr int scale = 3; };
struct Rows { float v[2][2] = {}; __device__ const float *operator[](int i) const { return v[i]; } };
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    A::Step a; a.v = at[t]; B::Step b; b.v = g[t]; Rows r; r.v[1][0] = in[t];
    out[t] = a.next() + b.next() * B::scale + r[1][0] + r.v[t % 2][1];
}
