#include <cuda_runtime.h>

#define TPB 128

/* y = A x, A is column major with leading dimension lda (BLAS convention).
   Each block keeps a slice of x in shared memory. */
__global__ void sgemv_n(int m, int n, const float * __restrict__ A, int lda,
                        const float * __restrict__ x, float * __restrict__ y)
{
    __shared__ float buff[TPB];
    int row = blockIdx.x * TPB + threadIdx.x;
    float res = 0.0f;

    for (int i = 0; i < n; i += TPB) {
        __syncthreads();
        if (i + threadIdx.x < n)
            buff[threadIdx.x] = x[i + threadIdx.x];
        __syncthreads();
        if (row < m) {
            int len = min(TPB, n - i);
            for (int j = 0; j < len; j++)
                res += A[row + (size_t)(i + j) * lda] * buff[j];
        }
    }
    if (row < m)
        y[row] = res;
}
