// grid 2, block 32
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    long long big = (long long)at[t] << 33; unsigned char c = at[t] * 9; short h = -at[t];
    double x = in[t] / 3.0; bool odd = at[t] & 1; out[t] = (big >> 30) + c + h + x + odd;
}
