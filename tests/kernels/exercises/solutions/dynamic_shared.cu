extern "C" __global__ void dynamic_shared(const float *A, const float *B, float *C, int M, int N, int K)
{
    extern __shared__ float tiles[];
    int width = blockDim.x;
    float *As = tiles;
    float *Bs = tiles + width * width;

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.y * width + ty;
    int col = blockIdx.x * width + tx;

    float sum = 0.0f;
    for (int first = 0; first < K; first += width) {
        As[ty * width + tx] = (row < M && first + tx < K) ? A[row * K + first + tx] : 0.0f;
        Bs[ty * width + tx] = (first + ty < K && col < N) ? B[(first + ty) * N + col] : 0.0f;
        __syncthreads();

        for (int k = 0; k < width; ++k)
            sum += As[ty * width + k] * Bs[k * width + tx];
        __syncthreads();
    }

    if (row < M && col < N)
        C[row * N + col] = sum;
}

/* tilescope
title    = "Two tiles in one piece of memory"
teaches  = "Dynamic shared memory is one array: its parts are carved by hand, and its bytes are part of the launch."
workload = "matmul"
size     = [4, 4, 4]
block    = [2, 2]
blocks   = [[2, 2]]
grid     = ["(N + block_x - 1) / block_x", "(M + block_y - 1) / block_y"]
dynamic_shared = "2 * 4 * block_x * block_y"
*/
