#include <cfloat>

constexpr int kWarpSize = 32;
constexpr unsigned kFull = 0xffffffffu;

__inline__ __device__ float warpMax(float v)
{
#pragma unroll
    for (int o = kWarpSize / 2; o > 0; o >>= 1)
        v = fmaxf(v, __shfl_xor_sync(kFull, v, o));
    return v;
}

// Maximum of each row; blockDim.x must be a multiple of the warp size.
__global__ void rowwise_max(const float *__restrict__ x, float *__restrict__ y, int rows, int cols)
{
    __shared__ float partial[kWarpSize];
    const int lane = threadIdx.x & (kWarpSize - 1);
    const int wid = threadIdx.x / kWarpSize;
    const int numWarps = blockDim.x / kWarpSize;

    for (int r = blockIdx.x; r < rows; r += gridDim.x) {
        const float *row = x + (size_t)r * cols;
        float m = -FLT_MAX;
        for (int c = threadIdx.x; c < cols; c += blockDim.x)
            m = fmaxf(m, row[c]);
        m = warpMax(m);
        if (lane == 0) partial[wid] = m;
        __syncthreads();
        if (wid == 0) {
            m = lane < numWarps ? partial[lane] : -FLT_MAX;
            m = warpMax(m);
            if (lane == 0) y[r] = m;
        }
        __syncthreads();
    }
}
