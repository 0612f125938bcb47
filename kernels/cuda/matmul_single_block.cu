// The whole product in one block: where one starts.
//
// idea     the block is as large as C, so threadIdx alone says which element a thread computes
// mapping  threadIdx.x runs along a row of C
// watch    there is no blockIdx: a block has at most 1,024 threads, so C is at most 32 by 32

extern "C" __global__ void matmul_single_block(const float *A, const float *B, float *C, int M, int N, int K)
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
title    = "One block for everything"
teaches  = "Works up to 32×32: a block cannot have more than 1,024 threads."
workload = "matmul"
order    = 20
size     = [4, 4, 4]
block    = [4, 4]
blocks   = [[32, 32]]
grid     = ["1", "1"]
require  = [["block_x >= N && block_y >= M",
             "its block is all of C: choose a block as wide as N and as high as M, of 1,024 threads at most (32×32)"]]
*/
