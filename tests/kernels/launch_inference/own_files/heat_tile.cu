// Heat equation, one time step, with a halo in shared memory.
// nvcc -O3 heat_tile.cu -o heat
#include <cstdio>
#include <cuda_runtime.h>

#define TILE 16
#define RADIUS 1

__global__ void heat_step(const float *in, float *out, int nx, int ny, float alpha)
{
    __shared__ float s[TILE + 2 * RADIUS][TILE + 2 * RADIUS];

    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    int lx = threadIdx.x + RADIUS;
    int ly = threadIdx.y + RADIUS;

    int cx = min(x, nx - 1);
    int cy = min(y, ny - 1);
    s[ly][lx] = in[cy * nx + cx];
    if (threadIdx.x < RADIUS) {
        s[ly][lx - RADIUS] = in[cy * nx + max(cx - RADIUS, 0)];
        s[ly][lx + TILE]   = in[cy * nx + min(x + TILE, nx - 1)];
    }
    if (threadIdx.y < RADIUS) {
        s[ly - RADIUS][lx] = in[max(cy - RADIUS, 0) * nx + cx];
        s[ly + TILE][lx]   = in[min(y + TILE, ny - 1) * nx + cx];
    }
    __syncthreads();

    if (x < nx && y < ny) {
        float c = s[ly][lx];
        out[y * nx + x] = c + alpha * (s[ly][lx - 1] + s[ly][lx + 1] + s[ly - 1][lx] + s[ly + 1][lx] - 4.0f * c);
    }
}

int main()
{
    const int nx = 1024, ny = 768;
    float *a, *b;
    cudaMalloc(&a, nx * ny * sizeof(float));
    cudaMalloc(&b, nx * ny * sizeof(float));
    dim3 block(TILE, TILE);
    dim3 grid((nx + TILE - 1) / TILE, (ny + TILE - 1) / TILE);
    for (int t = 0; t < 100; t++) {
        heat_step<<<grid, block>>>(a, b, nx, ny, 0.1f);
        float *tmp = a; a = b; b = tmp;
    }
    cudaDeviceSynchronize();
    return 0;
}
