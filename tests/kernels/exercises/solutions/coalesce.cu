extern "C" __global__ void coalesce(const float *A, const float *B, float *C, int M, int N, int K)
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
title    = "Neighbours read neighbours"
teaches  = "x on the column: a warp accesses neighbouring elements, in few sectors."
workload = "matmul"
size     = [16, 16, 4]
block    = [16, 2]
blocks   = [[16, 2]]
grid     = ["(N + block_x - 1) / block_x", "(M + block_y - 1) / block_y"]
*/
