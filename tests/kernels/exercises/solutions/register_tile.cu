extern "C" __global__ void register_tile(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Bs[TILE_WIDTH][TILE_WIDTH];

    int tx = threadIdx.x;
    int first = threadIdx.y * RESULTS;
    int row = blockIdx.y * TILE_WIDTH + first;
    int col = blockIdx.x * TILE_WIDTH + tx;

    float sum[RESULTS] = {};
    for (int t = 0; t < K; t += TILE_WIDTH) {
        for (int r = 0; r < RESULTS; ++r) {
            As[first + r][tx] = A[(row + r) * K + t + tx];
            Bs[first + r][tx] = B[(t + first + r) * N + col];
        }
        __syncthreads();  // loaded

        for (int k = 0; k < TILE_WIDTH; ++k) {
            float b = Bs[k][tx];
            for (int r = 0; r < RESULTS; ++r)
                sum[r] += As[first + r][k] * b;
        }
        __syncthreads();  // used
    }

    for (int r = 0; r < RESULTS; ++r)
        C[(row + r) * N + col] = sum[r];
}
