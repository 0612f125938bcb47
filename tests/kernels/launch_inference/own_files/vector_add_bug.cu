#include <stdio.h>

// Homework 1: add two vectors of n elements
__global__ void vecAdd(float *a, float *b, float *c, int n)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id <= n)
        c[id] = a[id] + b[id];
}

int main()
{
    int n = 100000;
    float *d_a, *d_b, *d_c;
    cudaMalloc(&d_a, n * sizeof(float));
    cudaMalloc(&d_b, n * sizeof(float));
    cudaMalloc(&d_c, n * sizeof(float));
    int blockSize = 1024;
    int gridSize = (int)ceil((float)n / blockSize);
    vecAdd<<<gridSize, blockSize>>>(d_a, d_b, d_c, n);
    return 0;
}
