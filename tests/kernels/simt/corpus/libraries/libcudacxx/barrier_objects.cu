// Barriers as objects: arriving and waiting apart, copies that end a phase, pipelines of blocks.

#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_awbarrier_primitives.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// Arrive and wait.

namespace arrive_and_wait {
using barrier = cuda::barrier<cuda::thread_scope_block>;

//: <<<1, 64>>> every schedule
#define ARRIVE_WAIT(NAME, ...) \
    __global__ void NAME(int *out) { \
        __shared__ barrier bar; __shared__ int s[64]; int t = threadIdx.x; __VA_ARGS__; out[t] = s[63 - t]; \
    }
//: out[t] == 63 - t % 64
ARRIVE_WAIT(arrive_wait_1,
    if (t == 0) init(&bar, 64); __syncthreads(); s[t] = t; auto token = bar.arrive(); bar.wait(std::move(token)))
//: out[t] == 63 - t % 64
ARRIVE_WAIT(arrive_wait_2,
    if (t == 0) init(&bar, 64); __syncthreads(); s[t] = t; barrier::arrival_token token = bar.arrive(); out[t] = 7;
    bar.wait(token))
//: out[t] == 63 - t % 64
ARRIVE_WAIT(arrive_wait_3, if (t == 0) init(&bar, 64); __syncthreads(); s[t] = t; bar.wait(bar.arrive()))
//: out[t] == 63 - t % 64
ARRIVE_WAIT(arrive_wait_4, if (t == 0) init(&bar, 64); __syncthreads(); s[t] = t; bar.arrive_and_wait())
//: out[t] == 63 - t % 64
ARRIVE_WAIT(arrive_wait_5, if (t == 0) init(&bar, 128); __syncthreads(); s[t] = t; bar.wait(bar.arrive(2)))
//: data-race
ARRIVE_WAIT(arrive_wait_6,
    if (t == 0) init(&bar, 64); __syncthreads(); s[t] = t; auto token = bar.arrive(); out[t] = s[63 - t];
    bar.wait(token))
ARRIVE_WAIT(arrive_wait_7, if (t == 0) init(&bar, 64); __syncthreads(); s[t] = t; bar.arrive())  //: data-race
//: data-race
ARRIVE_WAIT(arrive_wait_8,
    if (t == 0) init(&bar, 64); __syncthreads(); s[t] = t; auto token = bar.arrive(); s[t] = t + 1; bar.wait(token))
//: data-race
ARRIVE_WAIT(arrive_wait_9,
    if (t == 0) init(&bar, 32); __syncthreads(); s[t] = t; auto token = bar.arrive(); bar.wait(token))
//: out[t] == 63 - t % 64
//: barrier-divergence
ARRIVE_WAIT(arrive_wait_10,
    if (t == 0) init(&bar, 65); __syncthreads(); s[t] = t; auto token = bar.arrive(); bar.wait(token))

// Producers and consumers.
__device__ void produce(barrier ready[], barrier filled[], float *buffer, const float *in, int rounds) {
    for (int i = 0; i < rounds; ++i) {
        ready[i % 2].arrive_and_wait();
        buffer[i % 2 * 32 + threadIdx.x] = in[i * 32 + threadIdx.x];
        barrier::arrival_token token = filled[i % 2].arrive();
    }
}
__device__ void consume(barrier ready[], barrier filled[], float *buffer, float *out, int rounds) {
    barrier::arrival_token first = ready[0].arrive();
    barrier::arrival_token second = ready[1].arrive();
    for (int i = 0; i < rounds; ++i) {
        filled[i % 2].arrive_and_wait();
        for (int t = threadIdx.x - 32; t < 32; t += 64) out[i * 32 + 31 - t] = buffer[i % 2 * 32 + t];
        barrier::arrival_token token = ready[i % 2].arrive();
    }
}

//: <<<1, 96>>> every schedule
//: in = arange(160)
//: out = unwritten(160)
//: rounds = 5
//: out[t] == t // 32 * 32 + 31 - t % 32
__global__ void producers_consumers_1(const float *in, float *out, int rounds) {
    __shared__ float buffer[64];
    __shared__ barrier bar[4];
    auto block = cg::this_thread_block();
    if (block.thread_rank() < 4) init(bar + block.thread_rank(), block.size());
    block.sync();
    if (block.thread_rank() < warpSize) produce(bar, bar + 2, buffer, in, rounds);
    else consume(bar, bar + 2, buffer, out, rounds);
}
}

namespace producers_consumers_2 {
using barrier = cuda::barrier<cuda::thread_scope_block>;
__device__ void produce(barrier ready[], barrier filled[], float *buffer, const float *in, int rounds) {
    for (int i = 0; i < rounds; ++i) {
        ready[i % 2].arrive();
        buffer[i % 2 * 32 + threadIdx.x] = in[i * 32 + threadIdx.x];
        barrier::arrival_token token = filled[i % 2].arrive();
    }
}
__device__ void consume(barrier ready[], barrier filled[], float *buffer, float *out, int rounds) {
    barrier::arrival_token first = ready[0].arrive();
    barrier::arrival_token second = ready[1].arrive();
    for (int i = 0; i < rounds; ++i) {
        filled[i % 2].arrive_and_wait();
        for (int t = threadIdx.x - 32; t < 32; t += 64) out[i * 32 + 31 - t] = buffer[i % 2 * 32 + t];
        barrier::arrival_token token = ready[i % 2].arrive();
    }
}

//: <<<1, 96>>>
//: in = arange(160)
//: out = unwritten(160)
//: rounds = 5
//: data-race x32 in buffer[0]
//: besides barrier-divergence, result-never-written
__global__ void producers_consumers_2(const float *in, float *out, int rounds) {
    __shared__ float buffer[64];
    __shared__ barrier bar[4];
    auto block = cg::this_thread_block();
    if (block.thread_rank() < 4) init(bar + block.thread_rank(), block.size());
    block.sync();
    if (block.thread_rank() < warpSize) produce(bar, bar + 2, buffer, in, rounds);
    else consume(bar, bar + 2, buffer, out, rounds);
}
}

namespace producers_consumers_3 {
using barrier = cuda::barrier<cuda::thread_scope_block>;
__device__ void produce(barrier ready[], barrier filled[], float *buffer, const float *in, int rounds) {
    for (int i = 0; i < rounds; ++i) {
        ready[i % 2].arrive_and_wait();
        buffer[i % 2 * 32 + threadIdx.x] = in[i * 32 + threadIdx.x];
        barrier::arrival_token token = filled[i % 2].arrive();
    }
}
__device__ void consume(barrier ready[], barrier filled[], float *buffer, float *out, int rounds) {
    barrier::arrival_token first = ready[0].arrive();
    barrier::arrival_token second = ready[1].arrive();
    for (int i = 0; i < rounds; ++i) {
        filled[i % 2].arrive();
        for (int t = threadIdx.x - 32; t < 32; t += 64) out[i * 32 + 31 - t] = buffer[i % 2 * 32 + t];
        barrier::arrival_token token = ready[i % 2].arrive();
    }
}

//: <<<1, 96>>>
//: in = arange(160)
//: out = unwritten(160)
//: rounds = 5
//: np.isnan(out).all()
//: uninitialised-read x32 in buffer[0]
//: data-race x64 in buffer[0]
//: besides barrier-divergence, result-never-written
__global__ void producers_consumers_3(const float *in, float *out, int rounds) {
    __shared__ float buffer[64];
    __shared__ barrier bar[4];
    auto block = cg::this_thread_block();
    if (block.thread_rank() < 4) init(bar + block.thread_rank(), block.size());
    block.sync();
    if (block.thread_rank() < warpSize) produce(bar, bar + 2, buffer, in, rounds);
    else consume(bar, bar + 2, buffer, out, rounds);
}
}

// Copies bound to a barrier.

namespace copies_bound_to_a_barrier {
using barrier = cuda::barrier<cuda::thread_scope_block>;

//: <<<1, 64>>> every schedule
//: in = arange(256)
//: out = unwritten(256)
#define COPIES_BOUND(NAME, ...) \
    __global__ void NAME(const int *in, int *out) { \
        __shared__ barrier bar; __shared__ int s[2][64]; auto block = cg::this_thread_block(); int t = threadIdx.x; \
        if (t == 0) init(&bar, 64); block.sync(); for (int i = 0; i < 4; ++i) { __VA_ARGS__; } \
    }
//: out[t] == t // 64 * 64 + 63 - t % 64
COPIES_BOUND(copies_bound_barrier_1,
    cuda::memcpy_async(block, s[i % 2], in + 64 * i, cuda::aligned_size_t<16>(256), bar); bar.arrive_and_wait();
    out[i * 64 + t] = s[i % 2][63 - t]; block.sync())
//: out[t] == t // 64 * 64 + 63 - t % 64
COPIES_BOUND(copies_bound_barrier_2,
    cuda::memcpy_async(&s[i % 2][t], in + 64 * i + t, sizeof(int), bar); bar.arrive_and_wait();
    out[i * 64 + t] = s[i % 2][63 - t]; block.sync())
//: out[t] == t // 64 * 64 + 63 - t % 64
COPIES_BOUND(copies_bound_barrier_3,
    cuda::memcpy_async(&s[i % 2][t], in + 64 * i + t, sizeof(int), bar); auto token = bar.arrive(); bar.wait(token);
    out[i * 64 + t] = s[i % 2][63 - t]; bar.arrive_and_wait())
//: out[t] == t // 64 * 64 + 63 - t % 64
COPIES_BOUND(copies_bound_barrier_4,
    cuda::memcpy_async(block, s[i % 2], in + 64 * i, cuda::aligned_size_t<16>(256), bar); bar.arrive_and_wait();
    out[i * 64 + t] = s[i % 2][63 - t])
//: data-race
COPIES_BOUND(copies_bound_barrier_5,
    cuda::memcpy_async(block, s[i % 2], in + 64 * i, cuda::aligned_size_t<16>(256), bar); bar.arrive();
    out[i * 64 + t] = s[i % 2][63 - t]; block.sync())
//: data-race
COPIES_BOUND(copies_bound_barrier_6,
    cuda::memcpy_async(&s[i % 2][t], in + 64 * i + t, sizeof(int), bar); block.sync();
    out[i * 64 + t] = s[i % 2][63 - t]; bar.arrive_and_wait())

// Pipeline of a block.
#define STAGES 2

//: <<<1, 64>>> every schedule
//: in = arange(384)
//: out = unwritten(384)
//: batches = 6
//: out[t] == t // 64 * 64 + 63 - t % 64
__global__ void pipeline_block_1(const int *in, int *out, int batches) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    __shared__ int s[STAGES][64];
    auto block = cg::this_thread_block();
    int t = block.thread_rank();
    auto pipe = cuda::make_pipeline(block, &state);
    for (int i = 0, j = 0; i < batches; ++i) {
        for (; j < batches && j < i + STAGES; ++j) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, s[j % STAGES], in + 64 * j, sizeof(int) * block.size(), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        out[i * 64 + t] = s[i % STAGES][63 - t];
        pipe.consumer_release();
    }
}
}

namespace pipeline_of_a_block {
using barrier = cuda::barrier<cuda::thread_scope_block>;
#define STAGES 2

//: <<<1, 64>>> every schedule
//: in = arange(384)
//: out = unwritten(384)
//: batches = 6
//: data-race
#define PIPELINE_BLOCK(NAME, ...) \
    __global__ void NAME(const int *in, int *out, int batches) { \
        __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state; __shared__ int s[STAGES][64]; \
        auto block = cg::this_thread_block(); int t = block.thread_rank(); \
        auto pipe = cuda::make_pipeline(block, &state); \
        for (int i = 0, j = 0; i < batches; ++i) { for (; j < batches && j < i + STAGES; ++j) { pipe.producer_acquire(); cuda::memcpy_async(block, s[j % STAGES], in + 64 * j, sizeof(int) * block.size(), pipe); pipe.producer_commit(); } __VA_ARGS__; } \
    }
//: uninitialised-read
PIPELINE_BLOCK(pipeline_block_2, out[i * 64 + t] = s[i % STAGES][63 - t]; pipe.consumer_release())
//: barrier-divergence
//: uninitialised-read
PIPELINE_BLOCK(pipeline_block_3, pipe.consumer_wait(); out[i * 64 + t] = s[i % STAGES][63 - t])
PIPELINE_BLOCK(pipeline_block_4,
    pipe.consumer_wait(); pipe.consumer_release(); out[i * 64 + t] = s[i % STAGES][63 - t])
}

// Pipeline with roles.

namespace pipeline_with_roles {
using barrier = cuda::barrier<cuda::thread_scope_block>;

//: <<<1, 64>>> every schedule
//: in = arange(160)
//: out = unwritten(160)
//: batches = 5
//: out[t] == t // 32 * 32 + 31 - t % 32
__global__ void pipeline_roles_1(const int *in, int *out, int batches) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ int s[2][32];
    auto block = cg::this_thread_block();
    int t = block.thread_rank();
    auto pipe = cuda::make_pipeline(block, &state, 32);
    if (t < 32) {
        for (int i = 0; i < batches; ++i) {
            pipe.producer_acquire();
            cuda::memcpy_async(&s[i % 2][t], in + 32 * i + t, sizeof(int), pipe);
            pipe.producer_commit();
        }
    } else {
        for (int i = 0; i < batches; ++i) {
            pipe.consumer_wait();
            out[i * 32 + t - 32] = s[i % 2][63 - t];
            pipe.consumer_release();
        }
    }
}

//: <<<1, 64>>> every schedule
//: in = arange(160)
//: out = unwritten(160)
//: batches = 5
//: out[t] == t // 32 * 32 + 31 - t % 32
__global__ void pipeline_roles_2(const int *in, int *out, int batches) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ int s[2][32];
    auto block = cg::this_thread_block();
    int t = block.thread_rank();
    auto pipe = cuda::make_pipeline(block, &state, t < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    if (t < 32) {
        for (int i = 0; i < batches; ++i) {
            pipe.producer_acquire();
            cuda::memcpy_async(&s[i % 2][t], in + 32 * i + t, sizeof(int), pipe);
            pipe.producer_commit();
        }
    } else {
        for (int i = 0; i < batches; ++i) {
            pipe.consumer_wait();
            out[i * 32 + t - 32] = s[i % 2][63 - t];
            pipe.consumer_release();
        }
    }
}
}

// Barriers lie in shared memory.

namespace barriers_lie_in_shared_memory {
using barrier = cuda::barrier<cuda::thread_scope_block>;

//: bar = zeros(1, "u8")
//: error: barrier outside of shared memory; declare it __shared__
__global__ void barriers_lie_in_shared_memory(barrier *bar) {
    bar->arrive();
}
}
