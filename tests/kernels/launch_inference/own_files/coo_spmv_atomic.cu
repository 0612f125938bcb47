// y += A x, A in coordinate format
__global__ void spmv_coo(int nnz, const int* __restrict__ rowIdx, const int* __restrict__ colIdx,
                         const float* __restrict__ value, const float* __restrict__ x, float* y) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nnz) {
        unsigned int row = rowIdx[i];
        unsigned int col = colIdx[i];
        atomicAdd(&y[row], x[col] * value[i]);
    }
}

void spmv_coo_gpu(int nnz, int* r, int* c, float* v, float* x, float* y) {
    unsigned int numThreadsPerBlock = 1024;
    unsigned int numBlocks = (nnz + numThreadsPerBlock - 1) / numThreadsPerBlock;
    spmv_coo<<<numBlocks, numThreadsPerBlock>>>(nnz, r, c, v, x, y);
}
