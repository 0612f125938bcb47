// grid 2, block 32
struct Row { float of[3]; __device__ Row(float a, int n) { of[0] = a; of[1] = n; of[2] = a * n; } };
template <typename T, int N> struct Box { T v[N]; };
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    Row r = Row(in[t], at[t]); Box<int, 4> b; b.v[t % 4] = 3; out[t] = r.of[t % 3] + b.v[t % 4];
    const float3 *p = reinterpret_cast<const float3 *>(f); float3 v = p[t % 21];
    Row q(v.z, 2); out[t] += v.y * q.of[1];
}
