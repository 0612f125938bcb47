// Conway's game of life with a halo in shared memory; the border of the world stays dead.
#define BX 16
#define BY 16

__global__ void life_step(const int *in, int *out, int W, int H)
{
    __shared__ int cell[BY + 2][BX + 2];
    const int x = blockIdx.x * BX + threadIdx.x;
    const int y = blockIdx.y * BY + threadIdx.y;

    for (int dy = threadIdx.y; dy < BY + 2; dy += BY)
        for (int dx = threadIdx.x; dx < BX + 2; dx += BX) {
            int gx = blockIdx.x * BX + dx - 1, gy = blockIdx.y * BY + dy - 1;
            cell[dy][dx] = (gx >= 0 && gx < W && gy >= 0 && gy < H) ? in[gy * W + gx] : 0;
        }
    __syncthreads();
    if (x >= W || y >= H) return;

    int n = 0;
    for (int dy = 0; dy < 3; ++dy)
        for (int dx = 0; dx < 3; ++dx)
            n += cell[threadIdx.y + dy][threadIdx.x + dx];
    int alive = cell[threadIdx.y + 1][threadIdx.x + 1];
    n -= alive;
    out[y * W + x] = (n == 3) || (alive && n == 2);
}
