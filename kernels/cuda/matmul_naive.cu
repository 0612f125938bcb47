// One thread per element of C, everything read from global memory.
//
// idea     C[row][col] is the dot product of row `row` of A and column `col` of B
// mapping  threadIdx.x runs along a row of C, so a warp reads neighbouring elements of B
// watch    every thread reads K elements of A and K of B; its neighbours read most of them again

extern "C" __global__ void matmul_naive(const float *A, const float *B, float *C, int M, int N, int K)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < M && col < N) {
        float sum = 0.0f;
        for (int k = 0; k < K; ++k)
            sum += A[row * K + k] * B[k * N + col];
        C[row * N + col] = sum;
    }
}

/* tilescope
title    = "One thread per element"
teaches  = "Each thread walks a row of A and a column of B in global memory."
workload = "matmul"
order    = 21
size     = [4, 4, 4]
block    = [2, 2]
blocks   = [[8, 8], [16, 16], [32, 32]]
grid     = ["(N + block_x - 1) / block_x", "(M + block_y - 1) / block_y"]
*/
