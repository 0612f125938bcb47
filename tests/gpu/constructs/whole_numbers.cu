// grid 2, block 32, on a GPU only
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    const float least = -INFINITY; float most = least;
    for (int i = 0; i < 4; ++i) most = fmaxf(most, in[(t + i) % 64]);
    out[t] = most + sqrt(at[t]) + fabs(g[t] - n) + fmod(at[t], n) + fmin(n, 5u) + isinf(least);
}
