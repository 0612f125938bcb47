// A seven-point stencil: each thread keeps three planes of its column in registers, neighbours come from shared memory.
#define TILE 6
__global__ void stencil_in_registers(const float *in, float *out, int n) {
    __shared__ float plane[TILE][TILE];
    int x = blockIdx.x * (TILE - 2) + threadIdx.x - 1;
    int y = blockIdx.y * (TILE - 2) + threadIdx.y - 1;
    bool exists = x >= 0 && x < n && y >= 0 && y < n;
    bool interior = threadIdx.x >= 1 && threadIdx.x < TILE - 1 && threadIdx.y >= 1 && threadIdx.y < TILE - 1
                    && x >= 1 && x < n - 1 && y >= 1 && y < n - 1;
    float below, here, above;
    if (exists) {
        below = in[y * n + x];
        here = in[(n + y) * n + x];
    }
    for (int z = 1; z < n - 1; ++z) {
        if (exists) {
            above = in[((z + 1) * n + y) * n + x];
            plane[threadIdx.y][threadIdx.x] = here;
        }
        __syncthreads();
        if (interior)
            out[(z * n + y) * n + x] = plane[threadIdx.y][threadIdx.x - 1] + plane[threadIdx.y][threadIdx.x + 1]
                                       + plane[threadIdx.y - 1][threadIdx.x] + plane[threadIdx.y + 1][threadIdx.x]
                                       + below + above - 6 * here;
        __syncthreads();
        below = here;
        here = above;
    }
}

/* hazard
trace = '--grid 2,2 --block 6,6 --arg n=8 --arg "in=f32[8,8,8]:mod(5)" --arg "out=f32[8,8,8]:zeros"'
hazards = []
seen = []
*/
