/* Sparse matrix-vector product, one warp for each row ("CSR vector") */
#include <cuda.h>

#define WARP 32

template <typename T>
__global__ void spmv_csr_vector_kernel(const int num_rows, const int *ptr, const int *indices, const T *data,
                                       const T *x, T *y)
{
    __shared__ volatile T vals[256];
    int thread_id = blockDim.x * blockIdx.x + threadIdx.x;
    int warp_id = thread_id / WARP;
    int lane = thread_id & (WARP - 1);
    int row = warp_id;

    T sum = 0;
    if (row < num_rows) {
        int row_start = ptr[row];
        int row_end = ptr[row + 1];
        for (int jj = row_start + lane; jj < row_end; jj += WARP)
            sum += data[jj] * x[indices[jj]];
    }
    for (int d = WARP / 2; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    if (row < num_rows && lane == 0)
        y[row] = sum;
}

template __global__ void spmv_csr_vector_kernel<float>(const int, const int *, const int *, const float *,
                                                       const float *, float *);

void spmv(int n, const int *ptr, const int *idx, const float *val, const float *x, float *y)
{
    const int block = 128;
    const int rows_per_block = block / WARP;
    spmv_csr_vector_kernel<float><<<(n + rows_per_block - 1) / rows_per_block, block>>>(n, ptr, idx, val, x, y);
}
