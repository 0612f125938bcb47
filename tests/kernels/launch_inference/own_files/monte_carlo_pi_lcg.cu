#include <stdio.h>
// Lab 2: estimate pi. Each thread draws its own points with a small generator and counts hits.

#define TRIALS_PER_THREAD 64
#define BLOCKS 16
#define THREADS 32

__device__ float next_float(unsigned int *state)
{
    *state = 1664525u * (*state) + 1013904223u;
    return (*state >> 8) * (1.0f / 16777216.0f);
}

__global__ void gpu_monte_carlo(float *estimate, unsigned int seed)
{
    unsigned int tid = threadIdx.x + blockDim.x * blockIdx.x;
    unsigned int state = seed ^ (tid * 2654435761u);
    int points_in_circle = 0;

    for (int i = 0; i < TRIALS_PER_THREAD; i++) {
        float x = next_float(&state);
        float y = next_float(&state);
        points_in_circle += (x * x + y * y <= 1.0f);
    }
    estimate[tid] = 4.0f * points_in_circle / (float)TRIALS_PER_THREAD;
}

int main(void)
{
    static float host[BLOCKS * THREADS];
    float *dev;
    cudaMalloc((void **)&dev, BLOCKS * THREADS * sizeof(float));
    gpu_monte_carlo<<<BLOCKS, THREADS>>>(dev, 1234u);
    cudaMemcpy(host, dev, BLOCKS * THREADS * sizeof(float), cudaMemcpyDeviceToHost);
    float pi = 0;
    for (int i = 0; i < BLOCKS * THREADS; i++)
        pi += host[i];
    pi /= BLOCKS * THREADS;
    printf("pi = %f\n", pi);
    cudaFree(dev);
    return 0;
}
