// The rows of C shared by the workers of the CPU.
//
// idea     no two workers write the same row, so none has to wait for another
// mapping  worker t of T computes the rows from M * t / T up to, and without, M * (t + 1) / T
// watch    who computes which row; with M / 2 workers each has two

#include <omp.h>

void cpu_parallel(const float *A, const float *B, float *C, int M, int N, int K)
{
    int worker = omp_get_thread_num();  // each worker of an "omp parallel" region calls this function
    int workers = omp_get_num_threads();
    int first = M * worker / workers;
    int last = M * (worker + 1) / workers;

    for (int row = first; row < last; ++row)
        for (int col = 0; col < N; ++col) {
            float sum = 0.0f;
            for (int k = 0; k < K; ++k)
                sum += A[row * K + k] * B[k * N + col];
            C[row * N + col] = sum;
        }
}

/* tilescope
title    = "Rows shared by workers"
teaches  = "The rows of C are split over T workers; each runs the same three loops on its own rows."
workload = "matmul"
order    = 13
runs_on  = "cpu"
threaded = true
size     = [4, 4, 4]
block    = [2]
blocks   = [[1], [2], [4], [8], [16]]
grid     = ["1"]
require  = [["block_y * block_z == 1", "the workers stand in a row: choose one number, as in block 4"]]
*/
