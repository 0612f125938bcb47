// One thread per element of C, in memory that the host and the device share.
//
// idea     cudaMallocManaged gives pointers for both sides; nobody copies, pages move when they are first touched
// mapping  threadIdx.x runs along a row of C, as in matmul_naive: the kernel does not change
// watch    the time, which has the moving of the pages in it; every access is the same

extern "C" __global__ void matmul_unified(const float *A, const float *B, float *C, int M, int N, int K)
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
title    = "One thread per element, unified memory"
teaches  = "The same kernel on managed memory: the first touch moves the pages, inside the time."
workload = "matmul"
order    = 23
memory   = "managed"
size     = [4, 4, 4]
block    = [2, 2]
blocks   = [[8, 8], [16, 16], [32, 32]]
grid     = ["(N + block_x - 1) / block_x", "(M + block_y - 1) / block_y"]
*/
