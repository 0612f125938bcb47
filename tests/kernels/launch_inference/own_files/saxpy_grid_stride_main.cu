#include <iostream>
#include <vector>
#include <cassert>

__global__ void saxpy(const std::size_t n, const float a, const float *x, float *y)
{
    for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        y[i] = a * x[i] + y[i];
}

int main()
{
    constexpr std::size_t n = 1 << 20;
    std::vector<float> x(n, 1.0f), y(n, 2.0f);

    float *dx = nullptr, *dy = nullptr;
    cudaMalloc(&dx, n * sizeof(float));
    cudaMalloc(&dy, n * sizeof(float));
    cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);

    int numSMs = 0;
    cudaDeviceGetAttribute(&numSMs, cudaDevAttrMultiProcessorCount, 0);
    saxpy<<<32 * numSMs, 256>>>(n, 2.0f, dx, dy);

    cudaMemcpy(y.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (auto v : y)
        assert(v == 4.0f);
    std::cout << "ok" << std::endl;
    cudaFree(dx);
    cudaFree(dy);
}
