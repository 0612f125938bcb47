// Prints the block that NVIDIA's own calculator suggests for every line of numbers it is given.
#include <cuda_occupancy.h>

#include <climits>
#include <cstdio>

static size_t bytes_per_thread;

static size_t dynamic_bytes(int threads)
{
    return bytes_per_thread * threads;
}

int main()
{
    int registers, static_bytes;
    cudaOccDeviceProp device;
    while (std::scanf("%d %d %d %d %d %d %zu %zu %zu %zu %d %d %zu", &device.computeMajor, &device.computeMinor,
                      &device.maxThreadsPerMultiprocessor, &device.regsPerBlock, &device.regsPerMultiprocessor,
                      &device.numSms, &device.sharedMemPerBlock, &device.sharedMemPerMultiprocessor,
                      &device.sharedMemPerBlockOptin, &device.reservedSharedMemPerBlock, &registers, &static_bytes,
                      &bytes_per_thread) == 13) {
        device.maxThreadsPerBlock = 1024;
        device.warpSize = 32;
        cudaOccFuncAttributes function;
        function.maxThreadsPerBlock = INT_MAX;
        function.numRegs = registers;
        function.sharedSizeBytes = static_bytes;
        function.shmemLimitConfig = bytes_per_thread ? FUNC_SHMEM_LIMIT_OPTIN : FUNC_SHMEM_LIMIT_DEFAULT;
        function.maxDynamicSharedSizeBytes = device.sharedMemPerBlockOptin - static_bytes;
        function.numBlockBarriers = 1;
        cudaOccDeviceState state;
        int grid = 0, block = 0;
        if (cudaOccMaxPotentialOccupancyBlockSizeVariableSMem(&grid, &block, &device, &function, &state,
                                                               dynamic_bytes))
            return 1;
        std::printf("%d %d\n", block, grid / device.numSms);
    }
}
