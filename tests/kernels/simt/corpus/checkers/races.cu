// Data races follow from the order between accesses, not from this schedule's results.

// Every pair of lines is told once with the elements it concerns.
//: <<<1, 64>>> every schedule
//: C = zeros(128)
//: data-race
__global__ void every_pair_of_lines_is_told_once_with_the_elements_it_concerns(int *C) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = 0;
    for (int i = 0; i < 3; ++i)
    s[(t + 1) % 64] += s[t];
    int v = s[t ^ 1];
}

// Ordered accesses do not race.
//: <<<2, 64>>> every schedule
//: C = zeros(128)
#define ORDERED_ACCESSES(NAME, ...) \
    __global__ void NAME(int *C) { \
        __shared__ int s[64]; int t = threadIdx.x; __VA_ARGS__ \
    }
ORDERED_ACCESSES(ordered_accesses_do_1, s[t] = t; __syncthreads(); C[t + blockIdx.x * 64] = s[63 - t];)
ORDERED_ACCESSES(ordered_accesses_do_2, s[t] = t; s[t] += 1;)
ORDERED_ACCESSES(ordered_accesses_do_3, atomicAdd(&C[0], 1); atomicMax(&C[0], t);)
ORDERED_ACCESSES(ordered_accesses_do_4, for (int i = 0; i < 3; ++i) { s[(t + i) % 64] = i; __syncthreads(); })
ORDERED_ACCESSES(ordered_accesses_do_5,
    if (t == 0) s[9] = 1; __syncthreads(); if (t == 50) s[9] = 2; __syncthreads(); int v = s[9];)
ORDERED_ACCESSES(ordered_accesses_do_6, if (blockIdx.x == 0) return; s[t] = t; __syncthreads(); int v = s[63 - t];)
ORDERED_ACCESSES(ordered_accesses_do_7, s[t] = t; __syncwarp(); int v = s[t ^ 31];)

// A warp barrier orders the lanes that pass it together.
//: <<<1, 64>>> every schedule
//: C = zeros(128)
#define WARP_BARRIER(NAME, ...) \
    __global__ void NAME(int *C) { \
        __shared__ int s[64]; int t = threadIdx.x; s[t] = t; __VA_ARGS__; \
    }
WARP_BARRIER(warp_barrier_orders_1,
    if (t % 32 < 16) __syncwarp(0xffff); else __syncwarp(0xffff0000); int v = s[t ^ 15])
//: data-race
WARP_BARRIER(warp_barrier_orders_2,
    if (t % 32 < 16) __syncwarp(0xffff); else __syncwarp(0xffff0000); int v = s[t ^ 16])
WARP_BARRIER(warp_barrier_orders_3, __syncwarp(t % 32 < 16 ? 0xffff : 0xffff0000); int v = s[t ^ 15])
//: data-race
WARP_BARRIER(warp_barrier_orders_4, __syncwarp(t % 32 < 16 ? 0xffff : 0xffff0000); int v = s[t ^ 16])

// The last block may read what the others fenced.

#define FENCE __threadfence_block()
__device__ int count = 0;

//: <<<2, 64>>> every schedule
//: out = zeros(64)
#define LAST_BLOCK(NAME, ...) \
    __global__ void NAME(int *part, int *out) { \
        __shared__ int last; int t = threadIdx.x; part[blockIdx.x * 64 + t] = t; __VA_ARGS__ __syncthreads(); \
        if (last) out[t] = part[t] + part[64 + t]; \
    }
//: out[t] == 2 * t
LAST_BLOCK(last_block_read_1,
    __syncthreads(); if (t == 0) { __threadfence(); last = atomicAdd(&count, 1) == gridDim.x - 1; })
//: out[t] == 2 * t
LAST_BLOCK(last_block_read_2,
    __threadfence(); __syncthreads(); if (t == 0) { last = atomicAdd(&count, 1) == gridDim.x - 1; })
//: data-race
LAST_BLOCK(last_block_read_3, __syncthreads(); if (t == 0) { last = atomicAdd(&count, 1) == gridDim.x - 1; })
//: data-race
LAST_BLOCK(last_block_read_4, if (t == 0) { __threadfence(); last = atomicAdd(&count, 1) == gridDim.x - 1; })
//: data-race
LAST_BLOCK(last_block_read_5,
    __syncthreads(); if (t == 0) { __threadfence_block(); last = atomicAdd(&count, 1) == gridDim.x - 1; })
//: data-race
LAST_BLOCK(last_block_read_6, __syncthreads(); if (t == 0) { FENCE; last = atomicAdd(&count, 1) == gridDim.x - 1; })
//: data-race
LAST_BLOCK(last_block_read_7, __threadfence(); if (t == 0) { last = atomicAdd(&count, 1) == gridDim.x - 1; })
//: data-race
LAST_BLOCK(last_block_read_8, __syncthreads(); if (t == 0) { __threadfence(); last = count++ == gridDim.x - 1; })

// The last block may reset the counter.
//: <<<2, 64>>> every schedule
//: out = zeros(64)
#define LAST_BLOCK_2(NAME, ...) \
    __global__ void NAME(int *part, int *out) { \
        __shared__ int last; int t = threadIdx.x; part[blockIdx.x * 64 + t] = t; __syncthreads(); __VA_ARGS__; \
    }
LAST_BLOCK_2(last_block_reset_1,
    if (t == 0) { __threadfence(); last = atomicAdd(&count, 1) == gridDim.x - 1; } __syncthreads();
    if (last && t == 0) count = 0)
LAST_BLOCK_2(last_block_reset_2,
    if (t == 0) { last = atomicAdd(&count, 1) == gridDim.x - 1; } __syncthreads(); if (last && t == 0) count = 0)
LAST_BLOCK_2(last_block_reset_3,
    if (t == 0) { __threadfence(); atomicAdd(&out[63], 0); last = atomicAdd(&count, 1) == gridDim.x - 1; }
    __syncthreads(); if (last && t == 0) count = 0)
LAST_BLOCK_2(last_block_reset_4,
    if (t == 0) { atomicAdd(&count, 0); __threadfence(); last = atomicAdd(&count, 1) == gridDim.x - 1; }
    __syncthreads(); if (last && t == 0) count = 0)
//: data-race
LAST_BLOCK_2(last_block_reset_5,
    if (t == 0) { __threadfence(); last = atomicAdd(&count, 1) == gridDim.x - 1; } __syncthreads();
    if (t == 0) count = 0)
LAST_BLOCK_2(last_block_reset_6,
    if (t == 0) { FENCE; last = atomicAdd(&count, 1) == gridDim.x - 1; } __syncthreads();
    if (last && t == 0) count = 0)
LAST_BLOCK_2(last_block_reset_7,
    if (t == 0) { last = atomicAdd(&count, 1) == gridDim.x - 1; } __syncthreads(); if (last && t == 1) count = 0)
//: data-race
LAST_BLOCK_2(last_block_reset_8,
    if (t == 0) { last = atomicAdd(&count, 1) == gridDim.x - 1; } __syncthreads(); if (t == 0) count = 0)
//: data-race
LAST_BLOCK_2(last_block_reset_9,
    if (t == 0) { atomicAdd(&count, 0); last = atomicAdd(&count, 1) == gridDim.x - 1; } __syncthreads();
    if (t == 0 && blockIdx.x == 1) part[0] = count)

// One fence does not speak for every element.
//: <<<2, 64>>>
//: part = zeros(128)
//: out = zeros(64)
__global__ void one_fence_does_not_speak_for_every_element(int *part, int *out) {
    __shared__ int last;
    int t = threadIdx.x;
    part[blockIdx.x * 64 + t] = t;
    if (t == 0) {
      __threadfence();
      last = atomicAdd(&count, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) out[t] = part[t] + part[64 + t];
//                     ^ data-race x63
}

// A lock orders when it is taken and released with a fence.

__device__ int lock = 0;

//: <<<3, 4>>> every schedule
//: sum = zeros(1)
#define LOCK_ORDERS(NAME, ...) \
    __global__ void NAME(int *sum) { \
        bool done = false; while (!done) { if (atomicCAS(&lock, 0, 1) == 0) { __VA_ARGS__; done = true; } } \
    }
//: sum[t] == 18
LOCK_ORDERS(lock_orders_when_1, __threadfence(); sum[0] += threadIdx.x; __threadfence(); atomicExch(&lock, 0))
LOCK_ORDERS(lock_orders_when_2, __threadfence(); sum[0] += threadIdx.x; atomicExch(&lock, 0))  //: data-race
LOCK_ORDERS(lock_orders_when_3, sum[0] += threadIdx.x; __threadfence(); atomicExch(&lock, 0))  //: data-race
//: data-race
LOCK_ORDERS(lock_orders_when_4, __threadfence_block(); sum[0] += threadIdx.x; __threadfence(); atomicExch(&lock, 0))
//: data-race
LOCK_ORDERS(lock_orders_when_5, __threadfence(); sum[0] += threadIdx.x; __threadfence_block(); atomicExch(&lock, 0))
//: data-race
LOCK_ORDERS(lock_orders_when_6, __threadfence(); sum[0] += threadIdx.x; __threadfence(); atomicExch_block(&lock, 0))
LOCK_ORDERS(lock_orders_when_7, __threadfence(); sum[0] += threadIdx.x; __threadfence(); lock = 0)  //: data-race

// A sum of variables that depend on the old value is no atomic sum.
//: <<<2, 64>>>
//: C = zeros(2)
__global__ void sum_variables_depend_1(int *C) {
    __shared__ int s[64];
    int t = threadIdx.x;
    int old = *C; int v = old + 1; old = v; *C = old + 1;
//                                          ^ data-race x3
}

//: <<<2, 64>>>
//: C = zeros(2)
__global__ void sum_variables_depend_2(int *C) {
    __shared__ int s[64];
    int t = threadIdx.x;
    int old = *C; int v = old; *C = old + v;
//                             ^ data-race x3
}

// An element is named as the source names it.
#define ELEMENT_NAMED(NAME, ...) \
    __global__ void NAME() { \
        __VA_ARGS__ = threadIdx.x; \
    }
ELEMENT_NAMED(element_named_source_1, __shared__ int m[4][8]; m[2][5])
//                                                            ^ data-race x1 in m[21]: m[2][5]
ELEMENT_NAMED(element_named_source_2, __shared__ int m[9]; m[3])
//                                                         ^ data-race x1 in m[3]: writes 
ELEMENT_NAMED(element_named_source_3, __shared__ int m; m)
//                                                      ^ data-race x1 in m[0]: writes 

// A value that comes too late is a race and not an unwritten element.
//: <<<2, 64>>> warps reversed shuffle:1
//: C = zeros(128)
//: data-race
__global__ void value_comes_too_1(int *C) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    int v = s[63 - t];
}

//: <<<2, 64>>> warps reversed shuffle:1
//: C = zeros(128)
//: uninitialised-read
__global__ void value_comes_too_2(int *C) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t < 63) s[t] = t;
    __syncthreads();
    int v = s[63 - t];
}

// A plain read before compare and swap is no race.

__device__ double add(double *address, double value) {
    unsigned long long *bits = (unsigned long long *)address, old = *bits, assumed;
    do {
      assumed = old;
      old = atomicCAS(bits, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old); }

//: <<<2, 64>>> every schedule
//: sum = zeros(1)
//: sum[t] == 4032
__global__ void a_plain_read_before_compare_and_swap_is_no_race(double *sum) {
    add(sum, threadIdx.x);
}
