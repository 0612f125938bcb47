extern "C" __global__ void symmetric_half(const float *M, float *P, int n)
{
    if (blockIdx.x < blockIdx.y)
        return;

    __shared__ float Ms[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Ns[TILE_WIDTH][TILE_WIDTH];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int i = blockIdx.y * TILE_WIDTH + ty;
    int j = blockIdx.x * TILE_WIDTH + tx;
    int mirrored = blockIdx.x * TILE_WIDTH + ty;

    float sum = 0.0f;
    for (int t = 0; t < (n + TILE_WIDTH - 1) / TILE_WIDTH; ++t) {
        int k = t * TILE_WIDTH + tx;
        Ms[ty][tx] = (i < n && k < n) ? M[i * n + k] : 0.0f;
        Ns[ty][tx] = (mirrored < n && k < n) ? M[mirrored * n + k] : 0.0f;
        __syncthreads();

        for (int k = 0; k < TILE_WIDTH; ++k)
            sum += Ms[ty][k] * Ns[tx][k];
        __syncthreads();
    }

    if (i < n && j < n) {
        P[i * n + j] = sum;
        if (blockIdx.x > blockIdx.y)
            P[j * n + i] = sum;
    }
}
