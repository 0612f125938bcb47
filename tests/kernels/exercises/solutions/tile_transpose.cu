extern "C" __global__ void tile_transpose(const float *A, float *B, int M, int N)
{
    __shared__ float tile[TILE][TILE + 1];
    int tx = threadIdx.x;
    int ty = threadIdx.y;

    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;
    if (row < M && col < N)
        tile[ty][tx] = A[row * N + col];
    __syncthreads();

    int to_row = blockIdx.x * TILE + ty;
    int to_col = blockIdx.y * TILE + tx;
    if (to_row < N && to_col < M)
        B[to_row * M + to_col] = tile[tx][ty];
}
