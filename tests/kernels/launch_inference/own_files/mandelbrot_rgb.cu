#include <cstdio>
#include <cuda_runtime.h>

struct Pixel { unsigned char r, g, b; };

__device__ int escape(float cx, float cy, int maxIter)
{
    float zx = 0, zy = 0;
    int i = 0;
    while (i < maxIter && zx * zx + zy * zy < 4.0f) {
        float t = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = t;
        ++i;
    }
    return i;
}

__global__ void mandelbrot(Pixel *img, int width, int height, float x0, float y0, float dx, float dy, int maxIter)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height) return;
    int n = escape(x0 + px * dx, y0 + py * dy, maxIter);
    unsigned char c = (unsigned char)(255 * n / maxIter);
    img[py * width + px] = Pixel{c, (unsigned char)(c / 2), (unsigned char)(255 - c)};
}

int main()
{
    const int w = 640, h = 480;
    Pixel *d;
    cudaMalloc(&d, w * h * sizeof(Pixel));
    dim3 threads(32, 8);
    dim3 blocks((w + 31) / 32, (h + 7) / 8);
    mandelbrot<<<blocks, threads>>>(d, w, h, -2.f, -1.f, 3.f / w, 2.f / h, 256);
    cudaDeviceSynchronize();
    cudaFree(d);
}
