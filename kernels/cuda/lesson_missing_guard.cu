// A lesson: one thread per element, and nothing that stops the threads beyond the edge.
//
// idea     the grid is whole blocks, so where the block does not divide the size some threads have no element
// mapping  threadIdx.x runs along a row of C, as in matmul_naive
// watch    a thread beyond the last column writes into the next row, one below the last row writes beyond C

extern "C" __global__ void lesson_missing_guard(const float *A, const float *B, float *C, int M, int N, int K)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;

    float sum = 0.0f;
    for (int k = 0; k < K; ++k)
        sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}

/* tilescope
title    = "Lesson: no guard"
teaches  = "Threads beyond the edge read and write where they must not; sizes that the block divides hide it."
flaw     = "Threads beyond the edge are not stopped, so they read and write outside of the arrays."
workload = "matmul"
order    = 103
size     = [3, 3, 3]
block    = [2, 2]
blocks   = [[8, 8], [16, 16], [32, 32]]
grid     = ["(N + block_x - 1) / block_x", "(M + block_y - 1) / block_y"]
*/
