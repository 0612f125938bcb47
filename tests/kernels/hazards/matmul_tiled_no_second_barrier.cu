// Product through tiles. Broken: a fast warp may load the next tile while a slow one still uses this one.
extern "C" __global__ void matmul_tiled_no_second_barrier(const float *A, const float *B, float *C, int n)
{
    __shared__ float As[8][8];
    __shared__ float Bs[8][8];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 8 + ty, col = blockIdx.x * 8 + tx;
    float sum = 0.0f;
    for (int m = 0; m < n; m += 8) {
        As[ty][tx] = A[row * n + m + tx];
        Bs[ty][tx] = B[(m + ty) * n + col];
        __syncthreads();
        for (int k = 0; k < 8; ++k)
            sum += As[ty][k] * Bs[k][tx];
    }
    C[row * n + col] = sum;
}

/* hazard
trace = "--grid 2,2 --block 8,8 --arg A=f32[16,16]:mod(7) --arg B=f32[16,16]:mod(5) --arg C=f32[16,16]:uninit --arg n=16"
hazards = [
    { kind = "data-race", array = "As", lines = [9, 13] },
    { kind = "data-race", array = "Bs", lines = [10, 13] },
]
seen = ["racecheck"]
wrong_product = "matmul_tiled_good"
*/
