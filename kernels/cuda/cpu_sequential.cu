// The plain product on one core: three loops.
//
// idea     C[row][col] is the dot product of row `row` of A and column `col` of B, one after the other
// mapping  none: one worker does everything, row by row
// watch    the order in which C is completed; M * N * K products: twice the n takes eight times as long

void cpu_sequential(const float *A, const float *B, float *C, int M, int N, int K)
{
    for (int row = 0; row < M; ++row)
        for (int col = 0; col < N; ++col) {
            float sum = 0.0f;
            for (int k = 0; k < K; ++k)
                sum += A[row * K + k] * B[k * N + col];
            C[row * N + col] = sum;
        }
}

/* tilescope
title    = "Three loops on one core"
teaches  = "One dot product per element of C, row by row: O(n³), so twice the n takes 8×."
workload = "matmul"
order    = 12
runs_on  = "cpu"
size     = [4, 4, 4]
block    = [1]
blocks   = [[1]]
grid     = ["1"]
require  = [["block_x * block_y * block_z == 1", "it runs on one core: choose block 1"]]
*/
