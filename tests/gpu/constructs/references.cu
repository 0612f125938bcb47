// grid 2, block 32
struct Pair { float x; int n; };
__device__ void swap(float &a, float &b) { float c = a; a = b; b = c; }
__device__ float add(const float &a, const float &b) { return a + b + a; }
__device__ void bump(Pair &p) { p.x += 1; p.n++; }
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    float x = in[t], y = f[t]; swap(x, y); swap(out[t], x); __shared__ float s[32]; float &mine = s[threadIdx.x];
    mine = y; mine += at[t]; const float &next = in[(t + 1) % 64]; out[t] = add(mine, next) + x + add(y, 2.0f);
    Pair p = {x, 1}; bump(p); out[t] += p.x + p.n;
}
