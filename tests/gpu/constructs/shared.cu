// grid 2, block 32
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    __shared__ float s[32][2]; __shared__ int last; if (threadIdx.x == 31) last = at[t];
    s[threadIdx.x][1] = in[t]; s[threadIdx.x][0] = f[t]; __syncthreads();
    out[t] = s[31 - threadIdx.x][t % 2] * last + s[threadIdx.x][0];
}
