// A block of 64 threads in C++20: each is a thread of the host. The test writes the kernels before `main`.
#include <atomic>
#include <barrier>
#include <cstdio>
#include <thread>
#include <vector>
#define __device__
#define __global__
#define __shared__ static
struct Index { unsigned x, y, z; };
static thread_local Index threadIdx;
static std::barrier<> block(64), warps[2] = {std::barrier<>(32), std::barrier<>(32)};
static std::atomic<int> count{0};
static int lanes[64];
static void __syncthreads() { block.arrive_and_wait(); }
static int __syncthreads_count(int p) {
    __syncthreads(); if (threadIdx.x == 0) count = 0;
    __syncthreads(); count += p != 0;
    __syncthreads(); return count;
}
static int __syncthreads_or(int p) { return __syncthreads_count(p) > 0; }
static int __syncthreads_and(int p) { return __syncthreads_count(p) == 64; }
static int exchange(int v, int from) {
    auto &warp = warps[threadIdx.x / 32];
    warp.arrive_and_wait(); lanes[threadIdx.x] = v;
    warp.arrive_and_wait(); int found = lanes[from];
    warp.arrive_and_wait(); return found;
}
static int __shfl_xor_sync(unsigned, int v, int way) { return exchange(v, threadIdx.x ^ way); }
static int __any_sync(unsigned, int p) {
    int any = 0;
    for (int i = 0; i < 32; ++i) any |= exchange(p, threadIdx.x / 32 * 32 + i);
    return any != 0;
}
namespace cooperative_groups {
    struct thread_block { void sync() const { __syncthreads(); } };
    static thread_block this_thread_block() { return {}; }
    static void sync(const thread_block &) { __syncthreads(); }
}
// KERNELS
static int result[COUNT][64];
int main() {
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 64; ++t)
        threads.emplace_back([t] {
            threadIdx.x = t;
            int number = 0;
            for (auto kernel : kernels) { __syncthreads(); kernel(x, result[number++]); }
        });
    for (auto &thread : threads) thread.join();
    for (auto &row : result) { for (int r : row) printf("%d ", r); printf("\n"); }
}
