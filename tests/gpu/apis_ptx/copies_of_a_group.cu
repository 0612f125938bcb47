#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
namespace cg = cooperative_groups;
__global__ void k(const float *in, float *out) {
    __shared__ __align__(16) float tile[96];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, tile, in + blockIdx.x * 96, cuda::aligned_size_t<4>(sizeof(float) * 96));
    cg::wait(block);
    for (int i = threadIdx.x; i < 96; i += 32) out[blockIdx.x * 96 + i] = tile[95 - i]; }
