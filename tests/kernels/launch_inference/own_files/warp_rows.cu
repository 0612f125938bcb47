// one warp per row, lanes add up with shuffles
#define FULL_MASK 0xffffffff

__inline__ __device__ float warpSum(float v)
{
    for (int offset = 16; offset > 0; offset /= 2)
        v += __shfl_down_sync(FULL_MASK, v, offset);
    return v;
}

__global__ void rowSums(const float *m, float *sums, int rows, int cols)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    int lane = threadIdx.x;
    if (row >= rows) return;

    float v = 0.0f;
    for (int c = lane; c < cols; c += 32)
        v += m[row * cols + c];
    v = warpSum(v);
    if (lane == 0)
        sums[row] = v;
}
