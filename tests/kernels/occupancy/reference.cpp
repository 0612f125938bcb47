// Prints what NVIDIA's own calculator finds for every line of numbers it is given.
#include <cuda_occupancy.h>

#include <climits>
#include <cstdio>

int main()
{
    int dynamic_optin, block, registers, static_bytes, dynamic_bytes, barriers;
    cudaOccDeviceProp device;
    while (std::scanf("%d %d %d %d %d %d %zu %zu %zu %zu %d %d %d %d %d %d", &device.computeMajor, &device.computeMinor,
                      &device.maxThreadsPerMultiprocessor, &device.regsPerBlock, &device.regsPerMultiprocessor,
                      &device.numSms, &device.sharedMemPerBlock, &device.sharedMemPerMultiprocessor,
                      &device.sharedMemPerBlockOptin, &device.reservedSharedMemPerBlock, &dynamic_optin, &block,
                      &registers, &static_bytes, &dynamic_bytes, &barriers) == 16) {
        device.maxThreadsPerBlock = 1024;
        device.warpSize = 32;
        cudaOccFuncAttributes function;
        function.maxThreadsPerBlock = INT_MAX;
        function.numRegs = registers;
        function.sharedSizeBytes = static_bytes;
        function.shmemLimitConfig = dynamic_optin ? FUNC_SHMEM_LIMIT_OPTIN : FUNC_SHMEM_LIMIT_DEFAULT;
        function.maxDynamicSharedSizeBytes = device.sharedMemPerBlockOptin - static_bytes;
        function.numBlockBarriers = barriers;
        cudaOccDeviceState state;
        cudaOccResult result;
        if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &state, block, dynamic_bytes))
            return 1;
        std::printf("%d %d %d %d %d %d %zu %d\n", result.activeBlocksPerMultiprocessor, result.blockLimitRegs,
                    result.blockLimitSharedMem, result.blockLimitWarps, result.blockLimitBlocks,
                    result.allocatedRegistersPerBlock, result.allocatedSharedMemPerBlock, result.blockLimitBarriers);
    }
}
