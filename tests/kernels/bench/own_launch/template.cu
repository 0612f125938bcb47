#include "side.h"
struct Pair { float a; int b; };
template <typename T, int N> __global__ void fill(T *out, Pair pair)
{
    extern __shared__ T copy[];
    copy[threadIdx.y] = SUM;
    out[threadIdx.y] = N * SIDE * copy[threadIdx.y] + pair.a * pair.b;
}
__global__ void other(int *out) { *out = 1; }
