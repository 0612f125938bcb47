// grid 2, block 32
struct Sums { float of[3]; int count; };
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    Sums s; s.count = 0; for (int i = 0; i < 3; ++i) { s.of[i] = in[(t + i) % 64]; s.count++; }
    Sums copy = s; out[t] = copy.of[t % 3] + copy.count;
}
