#include <atomic>
#include <barrier>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>
#define __global__
#define __device__
#define __constant__
#define __shared__ static
#define __forceinline__ inline
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(n)
using std::min;
using std::max;
struct uint3 { unsigned x, y, z; };
struct float3 { float x, y, z; };
struct short3 { short x, y, z; };
struct alignas(8) float2 { float x, y; };
struct alignas(16) float4 { float x, y, z, w; };
static float2 make_float2(float x, float y) { return {x, y}; }
static uint3 blockIdx, blockDim, gridDim;
static thread_local uint3 threadIdx;
static std::barrier<> *block_barrier;
static std::mutex atomics;
alignas(256) static char dynamic_shared[49152];
static void __syncthreads() { block_barrier->arrive_and_wait(); }
static void __pipeline_memcpy_async(void *to, const void *from, size_t bytes) { memcpy(to, from, bytes); }
static void __pipeline_commit() {}
static void __pipeline_wait_prior(size_t) {}
template <typename T> static T __ldg(const T *place) { return *place; }
#define ATOMIC(name, changed) \
    template <typename T, typename V> static T name(T *place, V given) \
    { \
        std::lock_guard<std::mutex> guard(atomics); \
        T old = *place, value = given; \
        *place = changed; \
        return old; \
    }
ATOMIC(atomicAdd, old + value)
ATOMIC(atomicAdd_block, old + value)
ATOMIC(atomicSub, old - value)
ATOMIC(atomicMax, old < value ? value : old)
ATOMIC(atomicMin, value < old ? value : old)
ATOMIC(atomicExch, value)
ATOMIC(atomicAnd, old & value)
ATOMIC(atomicOr, old | value)
ATOMIC(atomicXor, old ^ value)
template <typename T, typename V, typename W> static T atomicCAS(T *place, V compare, W value)
{
    std::lock_guard<std::mutex> guard(atomics);
    T old = *place;
    *place = old == compare ? value : old;
    return old;
}
static unsigned long long ts_time() { static std::atomic<unsigned long long> now; return ++now; }
