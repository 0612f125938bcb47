// Tiled matrix product; the side of the tile is a template parameter
template <int TILE = 16>
__global__ void matmul(const float *A, const float *B, float *C, int n)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;

    for (int m = 0; m < (n + TILE - 1) / TILE; ++m) {
        int ka = m * TILE + threadIdx.x, kb = m * TILE + threadIdx.y;
        As[threadIdx.y][threadIdx.x] = row < n && ka < n ? A[row * n + ka] : 0.0f;
        Bs[threadIdx.y][threadIdx.x] = kb < n && col < n ? B[kb * n + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; ++k)
            sum += As[threadIdx.y][k] * Bs[k][threadIdx.x];
        __syncthreads();
    }
    if (row < n && col < n)
        C[row * n + col] = sum;
}
