// Exercise 3.2: matrix-vector product, one thread per row
__global__ void matVec(const float *A, const float *x, float *y, int numRows, int numCols)
{
    int row = threadIdx.x + blockDim.x * blockIdx.x;
    if (row < numRows) {
        float sum = 0.0f;
        for (int c = 0; c < numCols; c++)
            sum += A[row * numCols + c] * x[c];
        y[row] = sum;
    }
}
