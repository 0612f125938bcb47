// grid 2, block 32
struct Half2 { int x, y; }; union Bits { float f; unsigned u; unsigned char c[4]; };
struct Tagged { int tag; Bits value; };
typedef union { double d; unsigned long long l; Half2 halves; } Wide;
__global__ void k(const float *in, const float *f, const int *at, int *g, float *out, int n)
{
    int t = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    Bits b; b.f = in[t]; g[t] = b.u & 255; Wide w; w.d = 1.0 + at[t]; w.halves.x |= 1;
    out[t] = (w.l >> 52) + b.c[3]; __shared__ Tagged s[32]; Tagged m;
    m.tag = at[t]; m.value.f = f[t]; s[threadIdx.x] = m; __syncthreads();
    s[threadIdx.x].value.c[0] = 1; __syncthreads(); out[t] += s[31 - threadIdx.x].value.f + m.tag; Bits d = b;
    d.u += 1; out[t] += d.f;
}
