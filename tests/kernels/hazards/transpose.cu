// Transpose through shared memory: rows are read and rows are written; the extra column avoids bank conflicts.
extern "C" __global__ void transpose(const float *in, float *out, int n)
{
    __shared__ float tile[16][16 + 1];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < n && y < n)
        tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x;
    y = blockIdx.x * 16 + threadIdx.y;
    if (x < n && y < n)
        out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

/* hazard
trace = "--grid 2,2 --block 16,16 --arg in=f32[20,20]:iota --arg out=f32[20,20]:uninit --arg n=20"
hazards = []
seen = []
first = { out = [0, 20, 40, 60, 80, 100, 120, 140] }
*/
