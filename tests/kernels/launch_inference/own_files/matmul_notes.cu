// My CUDA notes, part 2: naive matrix multiplication
// C (M x N) = A (M x K) * B (K x N), row-major
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CHECK(call)                                                        \
    do {                                                                        \
        cudaError_t err = call;                                                 \
        if (err != cudaSuccess) {                                               \
            fprintf(stderr, "CUDA error: %s\n", cudaGetErrorString(err));       \
            exit(EXIT_FAILURE);                                                 \
        }                                                                       \
    } while (0)

__global__ void sgemm_naive(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    const unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned int y = blockIdx.y * blockDim.y + threadIdx.y;

    // if statement is necessary to make things work under tile quantization
    if (x < M && y < N) {
        float tmp = 0.0;
        for (int i = 0; i < K; ++i) {
            tmp += A[x * K + i] * B[i * N + y];
        }
        C[x * N + y] = alpha * tmp + beta * C[x * N + y];
    }
}

int main()
{
    const int M = 4092, N = 4092, K = 4092;
    float *dA, *dB, *dC;
    CUDA_CHECK(cudaMalloc(&dA, sizeof(float) * M * K));
    CUDA_CHECK(cudaMalloc(&dB, sizeof(float) * K * N));
    CUDA_CHECK(cudaMalloc(&dC, sizeof(float) * M * N));

    dim3 gridDim((M + 31) / 32, (N + 31) / 32, 1);
    dim3 blockDim(32, 32, 1);
    sgemm_naive<<<gridDim, blockDim>>>(M, N, K, 1.0f, dA, dB, 0.0f, dC);
    CUDA_CHECK(cudaDeviceSynchronize());
    return 0;
}
