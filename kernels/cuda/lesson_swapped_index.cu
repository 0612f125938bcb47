// A lesson: the three loops on one core, with one index that is another.
//
// idea     C[row][col] needs column `col` of B; here it gets column `row`
// mapping  none: one worker does everything, row by row
// watch    inputs whose row i holds the value i hide it: there all columns of B are alike

void lesson_swapped_index(const float *A, const float *B, float *C, int M, int N, int K)
{
    for (int row = 0; row < M; ++row)
        for (int col = 0; col < N; ++col) {
            float sum = 0.0f;
            for (int k = 0; k < K; ++k)
                sum += A[row * K + k] * B[k * N + row];
            C[row * N + col] = sum;
        }
}

/* tilescope
title    = "Lesson: right by luck"
teaches  = "An error that the inputs hide: test with values that tell the elements apart."
flaw     = "B is read at the row's number where the column's belongs, which inputs with equal columns hide."
workload = "matmul"
order    = 106
runs_on  = "cpu"
size     = [3, 3, 3]
block    = [1]
blocks   = [[1]]
grid     = ["1"]
require  = [["block_x * block_y * block_z == 1", "it runs on one core: choose block 1"],
            ["M <= N", "it reads column `row` of B: choose an M up to N"]]
*/
