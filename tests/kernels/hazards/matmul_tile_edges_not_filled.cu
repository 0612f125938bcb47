// Product through tiles. Broken: K = 4 fills half of each 8×8 tile, and the sum runs over all of it.
extern "C" __global__ void matmul_tile_edges_not_filled(const float *A, const float *B, float *C, int n, int K)
{
    __shared__ float As[8][8];
    __shared__ float Bs[8][8];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 8 + ty, col = blockIdx.x * 8 + tx;
    if (tx < K)
        As[ty][tx] = A[row * K + tx];
    if (ty < K)
        Bs[ty][tx] = B[ty * n + col];
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < 8; ++k)
        sum += As[ty][k] * Bs[k][tx];
    C[row * n + col] = sum;
}

/* hazard
trace = '''
    --grid 2,2 --block 8,8 --arg A=f32[16,4]:mod(7) --arg B=f32[4,16]:mod(5) --arg C=f32[16,16]:uninit
    --arg n=16 --arg K=4'''
hazards = [
    { kind = "uninitialised-read", array = "As", lines = [14] },
    { kind = "uninitialised-read", array = "Bs", lines = [14] },
]
seen = []
unseen = "initcheck watches global memory only, not shared memory."
*/
