// Product through tiles in shared memory, both barriers in place.
extern "C" __global__ void matmul_tiled_good(const float *A, const float *B, float *C, int n)
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
        __syncthreads();
    }
    C[row * n + col] = sum;
}

/* hazard
trace = "--grid 2,2 --block 8,8 --arg A=f32[16,16]:mod(7) --arg B=f32[16,16]:mod(5) --arg C=f32[16,16]:uninit --arg n=16"
hazards = []
seen = []
*/
