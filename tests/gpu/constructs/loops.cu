// grid 2, block 32
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    float s = 0; for (int i = 0; i < at[t] % 7; ++i) { if (i == 2) continue; s += in[(t + i) % 64]; }
    int k = 0; while (true) { s -= f[(t + k) % 64]; if (++k > t % 5) break; }
    do s += f[k]; while (--k > 0); out[t] = s;
}
