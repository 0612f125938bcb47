// grid 2, block 32, on a GPU only
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    float x = in[t]; for (int d = 16; d; d /= 2) x += __shfl_down_sync(0xffffffffu, x, d);
    unsigned b = __ballot_sync(0xffffffffu, at[t] > 20); int any = __any_sync(0xffffffffu, g[t] > 60);
    out[t] = x + __popc(b) + any + __shfl_sync(0xffffffffu, in[at[t]], at[t] % 32); __syncwarp();
}
