/* Assignment 3: Jacobi iteration on the unit square (5-point stencil)
 * Author: group 14
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define TILE_W 16
#define TILE_H 8
#define IDX(i, j, pitch) ((i) * (pitch) + (j))

__global__ void jacobi_step(const double *u, double *u_new, const double *f, int nx, int ny, double h2)
{
    __shared__ double s[TILE_H + 2][TILE_W + 2];

    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    int j = blockIdx.x * TILE_W + threadIdx.x;
    int i = blockIdx.y * TILE_H + threadIdx.y;

    if (i < ny && j < nx) {
        s[ty][tx] = u[IDX(i, j, nx)];
        if (threadIdx.x == 0)
            s[ty][0] = j > 0 ? u[IDX(i, j - 1, nx)] : 0.0;
        if (threadIdx.x == TILE_W - 1 || j == nx - 1)
            s[ty][tx + 1] = j < nx - 1 ? u[IDX(i, j + 1, nx)] : 0.0;
        if (threadIdx.y == 0)
            s[0][tx] = i > 0 ? u[IDX(i - 1, j, nx)] : 0.0;
        if (threadIdx.y == TILE_H - 1 || i == ny - 1)
            s[ty + 1][tx] = i < ny - 1 ? u[IDX(i + 1, j, nx)] : 0.0;
    }
    __syncthreads();

    if (i > 0 && i < ny - 1 && j > 0 && j < nx - 1)
        u_new[IDX(i, j, nx)] =
            0.25 * (s[ty][tx - 1] + s[ty][tx + 1] + s[ty - 1][tx] + s[ty + 1][tx] + h2 * f[IDX(i, j, nx)]);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 512;
    size_t bytes = (size_t)n * n * sizeof(double);
    double *u, *v, *f;
    cudaMalloc(&u, bytes);
    cudaMalloc(&v, bytes);
    cudaMalloc(&f, bytes);
    cudaMemset(u, 0, bytes);
    cudaMemset(v, 0, bytes);
    cudaMemset(f, 0, bytes);
    dim3 block(TILE_W, TILE_H);
    dim3 grid((n + TILE_W - 1) / TILE_W, (n + TILE_H - 1) / TILE_H);
    double h = 1.0 / (n - 1);
    for (int it = 0; it < 1000; it++) {
        jacobi_step<<<grid, block>>>(u, v, f, n, n, h * h);
        double *t = u; u = v; v = t;
    }
    cudaDeviceSynchronize();
    cudaFree(u); cudaFree(v); cudaFree(f);
    return 0;
}
