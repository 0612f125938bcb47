// Correct kernels, and the same ones with one subtle error: the report under every schedule.

#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;

// Reported kinds.
//: a = arange(400)
//: o = zeros(400)
//: c = zeros(2)
#define REPORTED_KINDS(NAME, ...) \
    __global__ void NAME(const int *a, int *o, int *c) { \
        __VA_ARGS__ \
    }
//: <<<1, 64, 512>>> lockstep reversed shuffle:3 unrecorded
REPORTED_KINDS(reported_kinds_1,
    __shared__ int s[2][64]; int t = threadIdx.x, sum = 0;
    for (int i = 0; i < 4; ++i) { s[i & 1][t] = a[i * 64 + t]; __syncthreads(); sum += s[i & 1][63 - t]; }
    o[t] = sum;)
//: <<<1, 64, 512>>> lockstep reversed shuffle:3 unrecorded
//: data-race
REPORTED_KINDS(reported_kinds_2,
    __shared__ int s[2][64]; int t = threadIdx.x, sum = 0;
    for (int i = 0; i < 4; ++i) { s[i & 0][t] = a[i * 64 + t]; __syncthreads(); sum += s[i & 0][63 - t]; }
    o[t] = sum;)
//: <<<2, 64, 512>>> lockstep reversed shuffle:3 unrecorded
REPORTED_KINDS(reported_kinds_3,
    __shared__ int s[66]; int t = threadIdx.x, g = blockIdx.x * 64 + t; s[t + 1] = a[g];
    if (t == 0) s[0] = g > 0 ? a[g - 1] : 0; if (t == 63) s[65] = a[g + 1]; __syncthreads(); o[g] = s[t] + s[t + 2];)
//: <<<2, 64, 512>>> lockstep reversed shuffle:3 unrecorded
//: uninitialised-read
REPORTED_KINDS(reported_kinds_4,
    __shared__ int s[66]; int t = threadIdx.x, g = blockIdx.x * 64 + t; s[t + 1] = a[g];
    if (t == 0) s[0] = g > 0 ? a[g - 1] : 0; if (t == 64) s[65] = a[g + 1]; __syncthreads(); o[g] = s[t] + s[t + 2];)
//: <<<1, 64, 512>>> lockstep reversed shuffle:3 unrecorded
REPORTED_KINDS(reported_kinds_5,
    __shared__ int s[32]; int t = threadIdx.x % 32; if (threadIdx.x > 31) return; s[t] = a[t]; __syncwarp();
    for (int d = 1; d < 32; d *= 2) { int x = t >= d ? s[t - d] : 0; __syncwarp(); s[t] += x; __syncwarp(); }
    o[t] = s[t];)
//: <<<1, 64, 512>>> lockstep reversed shuffle:3 unrecorded
//: data-race
REPORTED_KINDS(reported_kinds_6,
    __shared__ int s[32]; int t = threadIdx.x % 32; if (threadIdx.x > 31) return; s[t] = a[t]; __syncwarp();
    for (int d = 1; d < 32; d *= 2) { int x = t >= d ? s[t - d] : 0; s[t] += x; __syncwarp(); } o[t] = s[t];)
//: <<<1, 64, 512>>> lockstep reversed shuffle:3 unrecorded
//: data-race
REPORTED_KINDS(reported_kinds_7,
    __shared__ int s[32]; int t = threadIdx.x % 32; if (threadIdx.x > 31) return; s[t] = a[t]; __syncwarp();
    for (int d = 1; d < 32; d *= 2) { int x = t >= d ? s[t - d] : 0; __shfl_sync(~0u, x, 0); s[t] += x; __syncwarp(); }
    o[t] = s[t];)
//: <<<1, 64, 512>>> lockstep reversed shuffle:3 unrecorded
REPORTED_KINDS(reported_kinds_8,
    __shared__ int s[3][64]; int t = threadIdx.x, sum = 0;
    for (int p = 0; p < 2; ++p) { __pipeline_memcpy_async(&s[p][t], &a[p * 64 + t], 4); __pipeline_commit(); }
    for (int i = 0; i < 4; ++i) { __pipeline_wait_prior(1); __syncthreads(); sum += s[i % 3][63 - t]; if (i < 2) __pipeline_memcpy_async(&s[(i + 2) % 3][t], &a[(i + 2) * 64 + t], 4); __pipeline_commit(); }
    o[t] = sum;)
//: <<<1, 64, 512>>> lockstep reversed shuffle:3 unrecorded
//: data-race
REPORTED_KINDS(reported_kinds_9,
    __shared__ int s[3][64]; int t = threadIdx.x, sum = 0;
    for (int p = 0; p < 2; ++p) { __pipeline_memcpy_async(&s[p][t], &a[p * 64 + t], 4); __pipeline_commit(); }
    for (int i = 0; i < 4; ++i) { __pipeline_wait_prior(2); __syncthreads(); sum += s[i % 3][63 - t]; if (i < 2) __pipeline_memcpy_async(&s[(i + 2) % 3][t], &a[(i + 2) * 64 + t], 4); __pipeline_commit(); }
    o[t] = sum;)
//: <<<1, 64, 512>>> lockstep reversed shuffle:3 unrecorded
//: data-race
REPORTED_KINDS(reported_kinds_10,
    __shared__ int s[3][64]; int t = threadIdx.x, sum = 0;
    for (int p = 0; p < 2; ++p) { __pipeline_memcpy_async(&s[p][t], &a[p * 64 + t], 4); __pipeline_commit(); }
    for (int i = 0; i < 4; ++i) { __pipeline_wait_prior(1); __syncthreads(); sum += s[i % 2][63 - t]; if (i < 2) __pipeline_memcpy_async(&s[(i + 2) % 2][t], &a[(i + 2) * 64 + t], 4); __pipeline_commit(); }
    o[t] = sum;)
//: <<<3, 64, 512>>> lockstep reversed shuffle:3 unrecorded
REPORTED_KINDS(reported_kinds_11,
    __shared__ bool last; int t = threadIdx.x; o[64 + blockIdx.x * 64 + t] = a[t]; __threadfence(); __syncthreads();
    if (t == 0) { last = atomicAdd(&c[0], 1) == gridDim.x - 1; } __syncthreads();
    if (last) { int x = 0; for (int b = 0; b < gridDim.x; ++b) x += o[64 + b * 64 + t]; o[t] = x; })
//: <<<3, 64, 512>>> lockstep reversed shuffle:3 unrecorded
REPORTED_KINDS(reported_kinds_12,
    __shared__ bool last; int t = threadIdx.x; o[64 + blockIdx.x * 64 + t] = a[t]; __syncthreads();
    if (t == 0) { __threadfence(); last = atomicAdd(&c[0], 1) == gridDim.x - 1; } __syncthreads();
    if (last) { int x = 0; for (int b = 0; b < gridDim.x; ++b) x += o[64 + b * 64 + t]; o[t] = x; })
//: <<<3, 64, 512>>> lockstep reversed shuffle:3 unrecorded
//: data-race
REPORTED_KINDS(reported_kinds_13,
    __shared__ bool last; int t = threadIdx.x; o[64 + blockIdx.x * 64 + t] = a[t]; __syncthreads();
    if (t == 0) { last = atomicAdd(&c[0], 1) == gridDim.x - 1; } __syncthreads();
    if (last) { int x = 0; for (int b = 0; b < gridDim.x; ++b) x += o[64 + b * 64 + t]; o[t] = x; })
//: <<<3, 64, 512>>> lockstep reversed shuffle:3 unrecorded
//: data-race
REPORTED_KINDS(reported_kinds_14,
    __shared__ bool last; int t = threadIdx.x; o[64 + blockIdx.x * 64 + t] = a[t]; __threadfence_block();
    __syncthreads(); if (t == 0) { last = atomicAdd(&c[0], 1) == gridDim.x - 1; } __syncthreads();
    if (last) { int x = 0; for (int b = 0; b < gridDim.x; ++b) x += o[64 + b * 64 + t]; o[t] = x; })
//: <<<3, 64, 512>>> lockstep reversed shuffle:3 unrecorded
//: data-race
REPORTED_KINDS(reported_kinds_15,
    __shared__ bool last; int t = threadIdx.x; o[64 + blockIdx.x * 64 + t] = a[t]; __threadfence(); __syncthreads();
    if (t == 0) { last = atomicAdd_block(&c[0], 1) == gridDim.x - 1; } __syncthreads();
    if (last) { int x = 0; for (int b = 0; b < gridDim.x; ++b) x += o[64 + b * 64 + t]; o[t] = x; })
//: <<<3, 64, 512>>> lockstep reversed shuffle:3 unrecorded
REPORTED_KINDS(reported_kinds_16,
    if (threadIdx.x == 0) { while (atomicCAS(&c[0], 0, 1) != 0); __threadfence(); c[1] += 1; __threadfence(); atomicExch(&c[0], 0); })
//: <<<3, 64, 512>>> lockstep reversed shuffle:3 unrecorded
//: data-race
REPORTED_KINDS(reported_kinds_17,
    if (threadIdx.x == 0) { while (atomicCAS(&c[0], 0, 1) != 0); c[1] += 1; __threadfence(); atomicExch(&c[0], 0); })
//: <<<3, 64, 512>>> lockstep reversed shuffle:3 unrecorded
//: data-race
REPORTED_KINDS(reported_kinds_18,
    if (threadIdx.x == 0) { while (atomicCAS(&c[0], 0, 1) != 0); __threadfence(); c[1] += 1; atomicExch(&c[0], 0); })
//: <<<3, 64, 512>>> lockstep reversed shuffle:3 unrecorded
//: data-race
REPORTED_KINDS(reported_kinds_19,
    if (threadIdx.x == 0) { while (atomicCAS(&c[0], 0, 1) != 0); __threadfence(); c[1] += 1; __threadfence(); c[0] = 0; })
//: <<<2, 64, 512>>> lockstep reversed shuffle:3 unrecorded
REPORTED_KINDS(reported_kinds_20,
    int t = threadIdx.x;
    if (blockIdx.x == 0) { o[t] = t; __threadfence(); __syncthreads(); if (t == 0) atomicExch(&c[0], 1); } else { if (t == 0) { while (atomicAdd(&c[0], 0) == 0); __threadfence(); } __syncthreads(); o[64 + t] = o[63 - t]; })
//: <<<2, 64, 512>>> lockstep reversed shuffle:3 unrecorded
//: data-race
REPORTED_KINDS(reported_kinds_21,
    int t = threadIdx.x;
    if (blockIdx.x == 0) { o[t] = t; __threadfence(); __syncthreads(); if (t == 0) atomicExch(&c[0], 1); } else { if (t == 0) { while (atomicAdd(&c[0], 0) == 0); __threadfence(); } o[64 + t] = o[63 - t]; })
//: <<<1, 64, 512>>> lockstep reversed shuffle:3 unrecorded
REPORTED_KINDS(reported_kinds_22,
    __shared__ cuda::barrier<cuda::thread_scope_block> b; __shared__ int s[64]; int t = threadIdx.x;
    if (t == 0) init(&b, blockDim.x); __syncthreads(); s[t] = a[t]; b.arrive_and_wait(); o[t] = s[63 - t];)
//: <<<1, 64, 512>>> lockstep reversed shuffle:3 unrecorded
REPORTED_KINDS(reported_kinds_23,
    __shared__ cuda::barrier<cuda::thread_scope_block> b; __shared__ int s[64]; int t = threadIdx.x;
    if (t == 0) init(&b, blockDim.x); __syncthreads(); s[t] = a[t]; b.wait(b.arrive()); o[t] = s[63 - t];)
//: <<<1, 64, 512>>> lockstep reversed shuffle:3 unrecorded
//: data-race
REPORTED_KINDS(reported_kinds_24,
    __shared__ cuda::barrier<cuda::thread_scope_block> b; __shared__ int s[64]; int t = threadIdx.x;
    if (t == 0) init(&b, blockDim.x); __syncthreads(); s[t] = a[t]; b.arrive(); o[t] = s[63 - t];)
//: <<<1, 64, 512>>> lockstep reversed shuffle:3 unrecorded
//: barrier-divergence
REPORTED_KINDS(reported_kinds_25,
    __shared__ cuda::barrier<cuda::thread_scope_block> b; __shared__ int s[64]; int t = threadIdx.x;
    if (t == 0) init(&b, blockDim.x + 1); __syncthreads(); s[t] = a[t]; b.arrive_and_wait(); o[t] = s[63 - t];)
//: <<<1, 64, 512>>> lockstep reversed shuffle:3 unrecorded
REPORTED_KINDS(reported_kinds_26,
    unsigned m = __ballot_sync(~0u, threadIdx.x & 1);
    if (threadIdx.x & 1) { int lane = threadIdx.x % 32, first = __ffs(m) - 1, base = 0; if (lane == first) base = atomicAdd(&c[0], __popc(m)); base = __shfl_sync(m, base, first); o[base + __popc(m & ((1u << lane) - 1))] = threadIdx.x; })
//: <<<1, 64, 512>>> lockstep reversed shuffle:3 unrecorded
//: warp-mask
REPORTED_KINDS(reported_kinds_27,
    unsigned m = __ballot_sync(~0u, threadIdx.x & 1);
    if (threadIdx.x & 1) { int lane = threadIdx.x % 32, first = __ffs(m) - 1, base = 0; if (lane == first) base = atomicAdd(&c[0], __popc(m)); base = __shfl_sync(~0u, base, first); o[base + __popc(m & ((1u << lane) - 1))] = threadIdx.x; })
//: <<<1, 64, 512>>> lockstep reversed shuffle:3 unrecorded
//: data-race
REPORTED_KINDS(reported_kinds_28,
    unsigned m = __ballot_sync(~0u, threadIdx.x & 1);
    if (threadIdx.x & 1) { int lane = threadIdx.x % 32, first = __ffs(m) - 1, base = 0; if (lane == first) base = atomicAdd(&c[0], __popc(m)); base = __shfl_sync(m, base, first); o[base + __popc(m & ((1u << lane) - 1)) / 2] = threadIdx.x; })
//: <<<3, 64, 512>>> lockstep reversed shuffle:3 unrecorded
REPORTED_KINDS(reported_kinds_29, if (threadIdx.x == 0 && atomicAdd(&c[0], 1) == gridDim.x - 1) c[0] = 0;)
//: <<<3, 64, 512>>> lockstep reversed shuffle:3 unrecorded
//: data-race
REPORTED_KINDS(reported_kinds_30, if (threadIdx.x == 0 && atomicAdd(&c[0], 1) == 0) c[0] = 0;)
//: <<<1, 64, 512>>> lockstep reversed shuffle:3 unrecorded
REPORTED_KINDS(reported_kinds_31, if (atomicAdd(&c[0], 1) == 63) { o[0] = c[0]; c[0] = 0; })
//: <<<1, 64, 512>>> lockstep reversed shuffle:3 unrecorded
//: data-race
REPORTED_KINDS(reported_kinds_32,
    __shared__ int s[64]; int t = threadIdx.x; s[t] = 1; if (atomicAdd(&c[0], 1) == 63) o[0] = s[5];)
//: <<<1, 64, 512>>> lockstep reversed shuffle:3 unrecorded
REPORTED_KINDS(reported_kinds_33,
    __shared__ int s[64]; int t = threadIdx.x; s[t] = 1; __threadfence_block();
    if (atomicAdd(&c[0], 1) == 63) o[0] = s[5];)
//: <<<1, 64, 512>>> lockstep reversed shuffle:3 unrecorded
REPORTED_KINDS(reported_kinds_34,
    __shared__ int s[64]; int t = threadIdx.x; s[t] = t; for (int i = t; i < 128 + t; i += 64) __syncthreads();)
//: <<<1, 64, 512>>> lockstep reversed shuffle:3 unrecorded
//: barrier-divergence
REPORTED_KINDS(reported_kinds_35,
    __shared__ int s[64]; int t = threadIdx.x; s[t] = t; for (int i = t; i < 100; i += 64) __syncthreads();)
//: <<<1, 64, 512>>> lockstep reversed shuffle:3 unrecorded
REPORTED_KINDS(reported_kinds_36,
    __shared__ int stop;
    for (int i = 0;; ++i) { __syncthreads(); if (threadIdx.x == 0) stop = i > 3; __syncthreads(); if (stop) break; })
//: <<<1, 64, 512>>> lockstep reversed shuffle:3 unrecorded
REPORTED_KINDS(reported_kinds_37,
    extern __shared__ char raw[]; int *x = (int *)raw, *y = (int *)(raw + 64 * sizeof(int)), t = threadIdx.x;
    x[t] = 1; y[t] = 2; __syncthreads(); o[t] = x[63 - t];)
//: <<<1, 64, 512>>> lockstep reversed shuffle:3 unrecorded
//: data-race
REPORTED_KINDS(reported_kinds_38,
    extern __shared__ char raw[]; int *x = (int *)raw, *y = (int *)(raw + 64), t = threadIdx.x; x[t] = 1; y[t] = 2;
    __syncthreads(); o[t] = x[63 - t];)
//: <<<1, 64, 512>>> lockstep reversed shuffle:3 unrecorded
//: data-race
REPORTED_KINDS(reported_kinds_39,
    __shared__ unsigned char b[64]; int t = threadIdx.x; b[t] = t; if (t < 16) o[t] = ((int *)b)[t];)
//: <<<1, 64, 512>>> lockstep reversed shuffle:3 unrecorded
//: data-race
REPORTED_KINDS(reported_kinds_40, int t = threadIdx.x; ((int4 *)o)[t / 2] = make_int4(t, t, t, t);)
//: <<<1, 64, 512>>> lockstep reversed shuffle:3 unrecorded
//: misaligned-access
REPORTED_KINDS(reported_kinds_41, int t = threadIdx.x; ((int2 *)(o + 1))[t] = make_int2(t, t);)
//: <<<1, 64, 512>>> lockstep reversed shuffle:3 unrecorded
REPORTED_KINDS(reported_kinds_42,
    auto w = cg::tiled_partition<8>(cg::this_thread_block()); int t = threadIdx.x, v = a[t];
    if (t / 8 % 2) v += w.shfl_xor(v, 4); o[t] = v;)
//: <<<1, 64, 512>>> lockstep reversed shuffle:3 unrecorded
//: warp-mask
REPORTED_KINDS(reported_kinds_43,
    auto w = cg::tiled_partition<8>(cg::this_thread_block()); int t = threadIdx.x, v = a[t];
    if (t % 8 < 4) v += w.any(v > 3); o[t] = v;)
//: <<<1, 64, 512>>> lockstep reversed shuffle:3 unrecorded
REPORTED_KINDS(reported_kinds_44,
    int t = threadIdx.x, v = a[t]; if (t < 16) v += __shfl_down_sync(0xffff, v, 8, 16); o[t] = v;)
//: <<<1, 64, 512>>> lockstep reversed shuffle:3 unrecorded
//: inactive-shuffle
REPORTED_KINDS(reported_kinds_45,
    int t = threadIdx.x, v = a[t]; if (t < 16) v += __shfl_down_sync(0xffff, v, 8); o[t] = v;)
//: <<<1, 64, 512>>> lockstep reversed shuffle:3 unrecorded
REPORTED_KINDS(reported_kinds_46, int t = threadIdx.x; o[t] = a[(t - 1 + 64) % 64];)
//: <<<1, 64, 512>>> lockstep reversed shuffle:3 unrecorded
//: out-of-bounds
REPORTED_KINDS(reported_kinds_47, int t = threadIdx.x; o[t] = a[(t - 1) % 64];)
//: <<<1, 64, 512>>> lockstep reversed shuffle:3 unrecorded
//: uninitialised-read
REPORTED_KINDS(reported_kinds_48, int t = threadIdx.x, s; for (int i = 0; i < 4; ++i) s += a[t]; o[t] = s;)
