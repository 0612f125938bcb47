// Transpose through shared memory. Broken: a warp may read a column before the other warps have stored their rows.
extern "C" __global__ void transpose_no_barrier(const float *in, float *out, int n)
{
    __shared__ float tile[16][16 + 1];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    x = blockIdx.y * 16 + threadIdx.x;
    y = blockIdx.x * 16 + threadIdx.y;
    out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

/* hazard
trace = "--grid 2,2 --block 16,16 --arg in=f32[32,32]:iota --arg out=f32[32,32]:uninit --arg n=32"
hazards = [{ kind = "data-race", array = "tile", lines = [6, 9] }]
seen = ["racecheck"]
*/
