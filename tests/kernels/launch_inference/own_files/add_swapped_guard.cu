// Lab 1: matrix addition on a 2D grid
#include <iostream>

#define BLOCK_X 16
#define BLOCK_Y 8

__global__ void matAdd(const double *A, const double *B, double *C, int rows, int cols)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y; // row
    int j = blockIdx.x * blockDim.x + threadIdx.x; // column
    if (i < cols && j < rows) {
        C[i * cols + j] = A[i * cols + j] + B[i * cols + j];
    }
}

int main()
{
    int rows = 300, cols = 200;
    double *A, *B, *C;
    cudaMallocManaged(&A, rows * cols * sizeof(double));
    cudaMallocManaged(&B, rows * cols * sizeof(double));
    cudaMallocManaged(&C, rows * cols * sizeof(double));
    dim3 threads(BLOCK_X, BLOCK_Y);
    dim3 blocks((cols + BLOCK_X - 1) / BLOCK_X, (rows + BLOCK_Y - 1) / BLOCK_Y);
    matAdd<<<blocks, threads>>>(A, B, C, rows, cols);
    cudaDeviceSynchronize();
}
