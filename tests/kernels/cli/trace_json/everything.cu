__constant__ float weights[4];
__global__ void k(const float *a, int *bins, float *out)
{
    __shared__ float s[32];
    float own[2];
    int t = threadIdx.x;
    s[t] = a[2 * t] * weights[t % 4];
    __syncthreads();
    own[t & 1] = s[31 - t];
    if (t < 8) atomicAdd(&bins[t / 4], 1);
    out[t] = own[t & 1];
    if (t == 0)
        printf("%g\n", 1.0f / (t + 0.0f));
}
