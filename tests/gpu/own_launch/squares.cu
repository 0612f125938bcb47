#include <cuda_runtime.h>
template <typename T> __device__ T square(T x) { return x * x; }
struct Pair { float a; int b; };
__constant__ float weights[4];
__global__ void squares(float *out, Pair pair, int n)
{
    extern __shared__ float tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i;
    __syncthreads();
    if (i < n)
        out[i] = square(tile[threadIdx.x]) + pair.a * pair.b + weights[i % 4];
}
