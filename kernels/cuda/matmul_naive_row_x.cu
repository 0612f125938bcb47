// One thread per element of C, with x and y the other way round.
//
// idea     the very arithmetic of matmul_naive; only who computes which element differs
// mapping  threadIdx.x runs down a column of C, so a warp reads elements of A that are K apart
// watch    the sectors of a warp's loads and stores: a wider block makes them more, and the kernel slower

extern "C" __global__ void matmul_naive_row_x(const float *A, const float *B, float *C, int M, int N, int K)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < M && col < N) {
        float sum = 0.0f;
        for (int k = 0; k < K; ++k)
            sum += A[row * K + k] * B[k * N + col];
        C[row * N + col] = sum;
    }
}

/* tilescope
title    = "One thread per element, x on the row"
teaches  = "Neighbouring threads take neighbouring rows: the same work, and every access of a warp is scattered."
workload = "matmul"
order    = 22
size     = [32, 32, 32]
block    = [32, 8]
blocks   = [[8, 8], [16, 16], [32, 32]]
grid     = ["(M + block_x - 1) / block_x", "(N + block_y - 1) / block_y"]
*/
