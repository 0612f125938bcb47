// Conway's game of life on a torus.
#include <iostream>

#define ALIVE 1
#define DEAD  0

__device__ int wrap(int i, int n) { return (i + n) % n; }

__global__ void lifeKernel(const unsigned char* world, unsigned char* next, int width, int height)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (col >= width || row >= height) return;

    int neighbours = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx != 0 || dy != 0)
                neighbours += world[wrap(row + dy, height) * width + wrap(col + dx, width)] == ALIVE;

    unsigned char me = world[row * width + col];
    next[row * width + col] = (neighbours == 3 || (me == ALIVE && neighbours == 2)) ? ALIVE : DEAD;
}

void evolve(unsigned char* d_world, unsigned char* d_next, int width, int height, int steps)
{
    dim3 threads(32, 4);
    dim3 blocks((width + threads.x - 1) / threads.x, (height + threads.y - 1) / threads.y);
    for (int s = 0; s < steps; ++s) {
        lifeKernel<<<blocks, threads>>>(d_world, d_next, width, height);
        std::swap(d_world, d_next);
    }
}
