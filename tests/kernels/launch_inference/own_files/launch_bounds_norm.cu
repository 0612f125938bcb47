#include <math.h>

// One block per row: y = x / ||x||
__global__ void __launch_bounds__(128) normalise_rows(const float *x, float *y, int cols)
{
    __shared__ float partial[128];
    const float *row = x + blockIdx.x * cols;

    float acc = 0.0f;
    for (int c = threadIdx.x; c < cols; c += 128)
        acc += row[c] * row[c];
    partial[threadIdx.x] = acc;
    __syncthreads();

    for (int half = 64; half > 0; half /= 2) {
        if (threadIdx.x < half)
            partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }

    float inv = rsqrtf(partial[0] + 1e-12f);
    for (int c = threadIdx.x; c < cols; c += 128)
        y[blockIdx.x * cols + c] = row[c] * inv;
}
