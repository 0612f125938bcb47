// A loop of launches between two events, in plain CUDA C++: what tests.bench.event_loop compares our figures with.
//
// Compiled with -DKERNEL_FILE="…" -DKERNEL=… and the kernel's own definitions. Its arguments are the size M N K, the grid
// x y z, the block x y z, and the bytes of dynamic shared memory. It prints the kernel's registers and the launches of
// one sample, then reads a number of samples from standard input again and again, and prints one line of times each.

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include <cuda_runtime.h>

#include KERNEL_FILE

// As in kernels/gpu/timing.py, in milliseconds.
const double short_ms = 1.0, sample_ms = 2.0, warm_up_ms = 50.0;
const int most_launches = 512;

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t status = (call);                                                                                   \
        if (status != cudaSuccess) {                                                                                   \
            fprintf(stderr, "event_loop: %s: %s\n", #call, cudaGetErrorString(status));                                \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static int M, N, K, shared_bytes;
static dim3 grid, block;
static float *A, *B, *C;
static cudaEvent_t start_event, stop_event;

static float time_ms(int launches)
{
    CHECK(cudaEventRecord(start_event));
    for (int i = 0; i < launches; ++i)
        KERNEL<<<grid, block, shared_bytes>>>(A, B, C, M, N, K);
    CHECK(cudaEventRecord(stop_event));
    CHECK(cudaEventSynchronize(stop_event));
    CHECK(cudaGetLastError());
    float spent_ms;
    CHECK(cudaEventElapsedTime(&spent_ms, start_event, stop_event));
    return spent_ms;
}

static std::vector<float> fill(size_t count, unsigned seed)
{
    std::mt19937 generator(seed);
    std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
    std::vector<float> values(count);
    for (float &value : values)
        value = uniform(generator);
    return values;
}

static float *to_device(const std::vector<float> &values)
{
    float *copy;
    CHECK(cudaMalloc(&copy, values.size() * sizeof(float)));
    CHECK(cudaMemcpy(copy, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice));
    return copy;
}

// Compares 64 elements, the last one among them, with sums in double.
static void verify(const std::vector<float> &a, const std::vector<float> &b)
{
    std::vector<float> c((size_t)M * N);
    CHECK(cudaMemcpy(c.data(), C, c.size() * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; ++i) {
        size_t place = (c.size() - 1) * i / 63;
        size_t row = place / N, column = place % N;
        double sum = 0;
        for (int k = 0; k < K; ++k)
            sum += (double)a[row * K + k] * b[(size_t)k * N + column];
        if (!(std::fabs(c[place] - sum) <= 1e-6 * K)) {
            fprintf(stderr, "event_loop: C[%zu][%zu] is %g, but should be %g\n", row, column, c[place], sum);
            exit(1);
        }
    }
}

int main(int argc, char **argv)
{
    if (argc != 11) {
        fprintf(stderr, "usage: event_loop M N K GRID_X GRID_Y GRID_Z BLOCK_X BLOCK_Y BLOCK_Z SHARED_BYTES\n");
        return 2;
    }
    M = atoi(argv[1]), N = atoi(argv[2]), K = atoi(argv[3]);
    grid = dim3(atoi(argv[4]), atoi(argv[5]), atoi(argv[6]));
    block = dim3(atoi(argv[7]), atoi(argv[8]), atoi(argv[9]));
    shared_bytes = atoi(argv[10]);

    std::vector<float> a = fill((size_t)M * K, 1), b = fill((size_t)K * N, 2);
    A = to_device(a), B = to_device(b);
    CHECK(cudaMalloc(&C, (size_t)M * N * sizeof(float)));
    CHECK(cudaMemset(C, 0xFF, (size_t)M * N * sizeof(float)));
    CHECK(cudaEventCreate(&start_event));
    CHECK(cudaEventCreate(&stop_event));
    if (shared_bytes > 48 * 1024)
        CHECK(cudaFuncSetAttribute(KERNEL, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));

    time_ms(1);
    verify(a, b);

    int launches = 1;
    float spent_ms = time_ms(1);
    if (spent_ms < short_ms)
        while (spent_ms < sample_ms && launches < most_launches)
            spent_ms = time_ms(launches *= 2);
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, KERNEL));
    printf("%d %d\n", attributes.numRegs, launches);
    fflush(stdout);

    int samples;
    while (scanf("%d", &samples) == 1) {
        auto begin = std::chrono::steady_clock::now();
        while (std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count() < warm_up_ms)
            time_ms(launches);
        for (int i = 0; i < samples; ++i)
            printf("%.9g ", time_ms(launches) / launches);
        printf("\n");
        fflush(stdout);
    }
    return 0;
}
