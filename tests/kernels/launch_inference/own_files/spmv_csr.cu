// Sparse matrix (CSR) times vector, scalar kernel: row_ptr has num_rows + 1 entries
__global__ void spmv_csr_scalar(const int num_rows, const int *row_ptr, const int *col_idx, const float *values,
                                const float *x, float *y)
{
    int row = blockDim.x * blockIdx.x + threadIdx.x;
    if (row < num_rows) {
        float dot = 0;
        int row_start = row_ptr[row];
        int row_end = row_ptr[row + 1];
        for (int jj = row_start; jj < row_end; jj++)
            dot += values[jj] * x[col_idx[jj]];
        y[row] = dot;
    }
}
