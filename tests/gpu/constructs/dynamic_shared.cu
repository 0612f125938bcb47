// grid 2, block 32, 256 bytes of shared memory
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    extern __shared__ float d[]; float *e = d + 32; d[threadIdx.x] = in[t]; e[threadIdx.x] = f[t];
    __syncthreads(); out[t] = d[(t * 7) % 64];
}
