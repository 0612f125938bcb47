// Order between two accesses: small kernels, each with the races that must be reported.

#include <cooperative_groups.h>

// Ordered.

__device__ unsigned arrived;
__device__ int mutex;

//: <<<2, 64>>> lockstep shuffle:7
//: a = zeros(256)
//: b = zeros(256)
#define ORDERED(NAME, ...) \
    __global__ void NAME(int *a, int *b) { \
        int t = threadIdx.x, i = blockIdx.x * blockDim.x + t; __VA_ARGS__ \
    }
ORDERED(ordered_1,
    __shared__ int s[64]; s[t] = t; __syncthreads();
    if (t < 32) { int v = s[t] + s[t + 32]; __syncwarp(); s[t] = v; __syncwarp(); v += s[(t + 16) % 32]; __syncwarp(); s[t] = v; __syncwarp(); }
    __syncthreads(); if (t == 0) a[blockIdx.x] = s[0];)
ORDERED(ordered_2,
    int v = t; for (int d = 16; d; d >>= 1) v += __shfl_down_sync(~0u, v, d); if (t % 32 == 0) a[i / 32] = v;)
ORDERED(ordered_3, __shared__ int s[64]; s[t] = t; __syncwarp(); a[i] = s[t ^ 1];)
ORDERED(ordered_4,
    __shared__ int s[64]; s[t] = t; if (t % 32 < 16) __syncwarp(0xffff); else __syncwarp(0xffff0000);
    a[i] = s[t ^ 1];)
ORDERED(ordered_5, __shared__ int s[64]; s[t] = t; __syncthreads_or(t); a[i] = s[63 - t];)
ORDERED(ordered_6,
    __shared__ int s[64];
    for (int r = 0; r < 3; r++) { s[t] = r + t; __syncthreads(); a[i] += s[63 - t]; __syncthreads(); })
ORDERED(ordered_7,
    __shared__ int s[2][64];
    for (int r = 0; r < 4; r++) { s[r & 1][t] = r + t; __syncthreads(); a[i] += s[r & 1][63 - t]; })
ORDERED(ordered_8, __shared__ int s; if (t == 0) s = 0; __syncthreads(); atomicAdd(&s, 1); __syncthreads(); a[i] = s;)
ORDERED(ordered_9,
    __shared__ int h[8]; if (t < 8) h[t] = 0; __syncthreads(); atomicAdd(&h[t % 8], 1); __syncthreads();
    if (t < 8) atomicAdd(&a[t], h[t]);)
ORDERED(ordered_10, int old = a[0], as; do { as = old; old = atomicCAS(&a[0], as, as + 1); } while (as != old);)
ORDERED(ordered_11, atomicAdd_block(&a[blockIdx.x], 1);)
ORDERED(ordered_12, atomicAdd_system(&a[0], 1);)
ORDERED(ordered_13,
    __shared__ int s; if (t == 0) s = 0; __syncthreads(); atomicAdd_block(&s, 1); __syncthreads();
    if (t == 0) a[blockIdx.x] = s;)
ORDERED(ordered_14,
    __shared__ bool last;
    if (t == 0) { b[blockIdx.x] = 7; __threadfence(); last = atomicInc(&arrived, gridDim.x) == gridDim.x - 1; }
    __syncthreads(); if (last && t == 0) { int s = 0; for (int j = 0; j < gridDim.x; j++) s += b[j]; a[0] = s; })
ORDERED(ordered_15,
    __shared__ bool last; b[i] = 7; __threadfence(); __syncthreads();
    if (t == 0) last = atomicInc(&arrived, gridDim.x) == gridDim.x - 1; __syncthreads();
    if (last) { int s = b[t] + b[64 + t]; a[t] = s; })
ORDERED(ordered_16,
    __shared__ bool last; b[i] = 7; __syncthreads();
    if (t == 0) { __threadfence(); last = atomicInc(&arrived, gridDim.x) == gridDim.x - 1; } __syncthreads();
    if (last) { int s = b[t] + b[64 + t]; a[t] = s; })
ORDERED(ordered_17,
    __shared__ bool last;
    if (t == 0) { b[blockIdx.x] = 7; __threadfence_system(); last = atomicInc(&arrived, gridDim.x) == gridDim.x - 1; }
    __syncthreads(); if (last && t == 0) { a[0] = b[0] + b[1]; })
ORDERED(ordered_18,
    if (t == 0) { while (atomicExch(&mutex, 1)); __threadfence(); a[0]++; __threadfence(); atomicExch(&mutex, 0); })
ORDERED(ordered_19,
    if (t % 32 == 0) { int *l = &b[blockIdx.x]; while (atomicCAS_block(l, 0, 1)); __threadfence_block(); a[blockIdx.x]++; __threadfence_block(); atomicExch_block(l, 0); })
ORDERED(ordered_20,
    __shared__ int go; if (t == 0) { while (atomicCAS(&mutex, 0, 1)); __threadfence(); } __syncthreads(); a[t]++;
    __syncthreads(); if (t == 0) { __threadfence(); atomicExch(&mutex, 0); })
ORDERED(ordered_21, int me = atomicAdd(b, 1); a[me] = t;)
ORDERED(ordered_22, a[i] = 1; cooperative_groups::this_grid().sync(); b[i] = a[(i + 64) % 128];)

// Not ordered.
//: <<<2, 64>>> lockstep shuffle:7
//: a = zeros(256)
//: b = zeros(256)
//: data-race
#define ORDERED_2(NAME, ...) \
    __global__ void NAME(int *a, int *b) { \
        int t = threadIdx.x, i = blockIdx.x * blockDim.x + t; __VA_ARGS__ \
    }
ORDERED_2(ordered_1_,
    __shared__ volatile int s[64]; s[t] = t; __syncthreads();
    if (t < 32) { s[t] += s[t + 32]; s[t] += s[t + 16]; s[t] += s[t + 8]; } if (t == 0) a[blockIdx.x] = s[0];)
ORDERED_2(ordered_2_, __shared__ int s[64]; s[t] = t; __shfl_sync(~0u, t, 0); a[i] = s[t ^ 1];)
ORDERED_2(ordered_3_, __shared__ int s[64]; s[t] = t; __ballot_sync(~0u, 1); a[i] = s[t ^ 1];)
ORDERED_2(ordered_4_, __shared__ int s[64]; s[t] = t; __syncwarp(); a[i] = s[63 - t];)
ORDERED_2(ordered_5_,
    __shared__ int s[64]; s[t] = t; if (t % 32 < 16) __syncwarp(0xffff); else __syncwarp(0xffff0000);
    a[i] = s[t ^ 16];)
ORDERED_2(ordered_6_,
    __shared__ int s[64]; for (int r = 0; r < 3; r++) { s[t] = r + t; __syncthreads(); a[i] += s[63 - t]; })
ORDERED_2(ordered_7_, __shared__ int s; if (t == 0) s = 0; __syncthreads(); atomicAdd(&s, 1); a[i] = s;)
ORDERED_2(ordered_8_, __shared__ int s; if (t == 0) s = 0; atomicAdd(&s, 1); __syncthreads(); a[i] = s;)
ORDERED_2(ordered_9_,
    __shared__ int h[8]; if (t < 8) h[t] = 0; __syncthreads(); atomicAdd(&h[t % 8], 1); __syncthreads();
    if (t < 8) a[t] += h[t];)
ORDERED_2(ordered_10_, atomicAdd_block(&a[0], 1);)
ORDERED_2(ordered_11_, if (blockIdx.x) atomicAdd(&a[0], 1); else atomicAdd_block(&a[0], 1);)
ORDERED_2(ordered_12_,
    __shared__ bool last; b[i] = 7;
    if (t == 0) { __threadfence(); last = atomicInc(&arrived, gridDim.x) == gridDim.x - 1; } __syncthreads();
    if (last) { int s = b[t] + b[64 + t]; a[t] = s; })
ORDERED_2(ordered_13_,
    __shared__ bool last;
    if (t == 0) { b[blockIdx.x] = 7; __threadfence(); last = atomicInc(&arrived, gridDim.x) == gridDim.x - 1; }
    if (last && t == 0) a[0] = b[0] + b[1]; a[128 + i] = last;)
ORDERED_2(ordered_14_,
    __shared__ bool last;
    if (t == 0) { b[blockIdx.x] = 7; __threadfence_block(); last = atomicInc(&arrived, gridDim.x) == gridDim.x - 1; }
    __syncthreads(); if (last && t == 0) { a[0] = b[0] + b[1]; })
ORDERED_2(ordered_15_,
    __shared__ bool last;
    if (t == 0) { b[blockIdx.x] = 7; __threadfence(); last = atomicInc_block(&arrived, gridDim.x) == gridDim.x - 1; }
    __syncthreads(); if (last && t == 0) { a[0] = b[0] + b[1]; })
ORDERED_2(ordered_16_, while (atomicCAS(&mutex, 0, 1)); a[0]++; atomicExch(&mutex, 0);)
ORDERED_2(ordered_17_,
    if (t == 0) { while (atomicCAS(&mutex, 0, 1)); __threadfence(); a[0]++; __threadfence(); atomicExch(&mutex, 0); a[0]++; })
ORDERED_2(ordered_18_,
    if (t == 0) { int *l = &b[blockIdx.x]; while (atomicCAS(l, 0, 1)); __threadfence(); a[0]++; __threadfence(); atomicExch(l, 0); })
ORDERED_2(ordered_19_,
    if (t == 0) { while (atomicCAS(&mutex, 0, 1)); } __syncthreads(); a[t]++; __syncthreads();
    if (t == 0) { __threadfence(); atomicExch(&mutex, 0); })
ORDERED_2(ordered_20_, a[i] = 1; __syncthreads(); b[i] = a[(i + 64) % 128];)
