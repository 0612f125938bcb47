// grid 2, block 32, on a GPU only
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    __shared__ float s[128]; unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * threadIdx.x]);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :: "r"(to), "l"(in + 4 * (t % 16)), "r"(at[t] > 9 ? 16 : 0));
    asm volatile("cp.async.commit_group;" ::); asm volatile("cp.async.wait_group %0;" :: "n"(0));
    __syncthreads(); out[t] = s[127 - 4 * threadIdx.x] + s[threadIdx.x];
}
