// A lesson: the product in one block, however large C is.
//
// idea     with one block threadIdx alone says which element a thread computes, and there are 1,024 threads at most
// mapping  threadIdx.x runs along a row of C, as in matmul_single_block
// watch    what lies beyond the block stays unwritten; a block of 33 by 33 the device refuses to launch

extern "C" __global__ void lesson_single_block(const float *A, const float *B, float *C, int M, int N, int K)
{
    int row = threadIdx.y;
    int col = threadIdx.x;

    if (row < M && col < N) {
        float sum = 0.0f;
        for (int k = 0; k < K; ++k)
            sum += A[row * K + k] * B[k * N + col];
        C[row * N + col] = sum;
    }
}

/* tilescope
title    = "Lesson: one block is too small"
teaches  = "Beyond its one block nothing is computed, and a block of more than 1,024 threads is not launched at all."
flaw     = "There is one block whatever the size is, so elements of C beyond it are never written."
workload = "matmul"
order    = 100
size     = [5, 5, 5]
block    = [4, 4]
blocks   = [[8, 8], [16, 16], [32, 32]]
grid     = ["1", "1"]
*/
