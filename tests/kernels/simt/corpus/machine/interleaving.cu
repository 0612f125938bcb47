// Threads that wait in a loop for other threads: all of them are scheduled, in every order.

// Every thread takes a lock.

namespace every_thread_takes_a_lock {
__device__ int mutex;
__device__ void lock() { while (atomicCAS(&mutex, 0, 1) != 0) ; __threadfence(); }
__device__ void unlock() { __threadfence(); atomicExch(&mutex, 0); }

//: out = zeros(64)
#define EVERY_THREAD(NAME, ...) \
    __global__ void NAME(int *out) { \
        lock(); out[0] += threadIdx.x + 1; __VA_ARGS__; \
    }
//: <<<1, 32>>> every schedule unrecorded
//: out[0] == 528
EVERY_THREAD(every_thread_takes_1, unlock())
//: <<<1, 70>>> every schedule unrecorded
//: out[0] == 2485
EVERY_THREAD(every_thread_takes_2, unlock())
//: <<<3, 40>>> every schedule unrecorded
//: out[0] == 2460
EVERY_THREAD(every_thread_takes_3, unlock())
}

// A lock without a fence is told wherever its holder stands.

namespace a_lock_without_a_fence_is_told_wherever_its_holder_stands {
__device__ int mutex;
__device__ void lock() { while (atomicCAS(&mutex, 0, 1) != 0) ; __threadfence(); }
__device__ void unlock() { atomicExch(&mutex, 0); }

//: <<<2, 33>>> every schedule
//: out = zeros(64)
//: data-race
__global__ void a_lock_without_a_fence_is_told_wherever_its_holder_stands(int *out) {
    lock(); out[0] += 1; unlock();
}
}

// One waits for the other.

__device__ int flag;

//: <<<2, 64>>> every schedule
//: out = zeros(64)
//: out[0] == 42
#define ONE_WAITS(NAME, ...) \
    __global__ void NAME(int *out) { \
        __VA_ARGS__ { while (atomicAdd(&flag, 0) == 0) ; out[0] = out[1]; } \
    }
ONE_WAITS(one_waits_other_1,
    if (blockIdx.x == 1 && threadIdx.x == 0) { out[1] = 42; __threadfence(); atomicExch(&flag, 1); }
    if (blockIdx.x == 0 && threadIdx.x == 0))
ONE_WAITS(one_waits_other_2,
    if (blockIdx.x == 0 && threadIdx.x == 0) { out[1] = 42; __threadfence(); atomicExch(&flag, 1); }
    if (blockIdx.x == 1 && threadIdx.x == 0))
ONE_WAITS(one_waits_other_3,
    if (blockIdx.x == 0 && threadIdx.x == 32) { out[1] = 42; __threadfence(); atomicExch(&flag, 1); }
    if (blockIdx.x == 0 && threadIdx.x == 0))
ONE_WAITS(one_waits_other_4,
    if (blockIdx.x == 0 && threadIdx.x == 1) { out[1] = 42; __threadfence(); atomicExch(&flag, 1); }
    if (blockIdx.x == 0 && threadIdx.x == 0))
ONE_WAITS(one_waits_other_5,
    if (blockIdx.x == 0 && threadIdx.x == 0) { out[1] = 42; __threadfence(); atomicExch(&flag, 1); }
    if (blockIdx.x == 0 && threadIdx.x == 1))

// A barrier of the grid made by hand.

__device__ int arrived;

//: <<<4, 40>>> every schedule
//: out = zeros(64)
//: out[32:36] == [40, 40, 40, 40]
__global__ void a_barrier_of_the_grid_made_by_hand(int *out) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        out[blockIdx.x] = sum;
        __threadfence();
        atomicAdd(&arrived, 1);
        while (atomicAdd(&arrived, 0) < gridDim.x) { }
        __threadfence();
    }
    __syncthreads();
    if (threadIdx.x == 1) out[32 + blockIdx.x] = out[(blockIdx.x + 1) % gridDim.x];
}

// Tickets.

__device__ int next, turn;

//: <<<1, 34>>> every schedule
//: options max_steps=20000
//: out = zeros(64)
//: out[0] == 409
#define TICKETS(NAME, ...) \
    __global__ void NAME(int *out) { \
        int mine = atomicAdd(&next, 1); __VA_ARGS__ out[0] = 2 * out[0] % 9973 + 1; __threadfence(); \
        atomicAdd(&turn, 1); \
    }
TICKETS(tickets_1, int seen; do { seen = atomicAdd(&turn, 0); } while (seen != mine);)
TICKETS(tickets_2, while (true) { if (atomicAdd(&turn, 0) == mine) break; })
TICKETS(tickets_3, for (;;) { if (atomicAdd(&turn, 0) == mine) break; })
TICKETS(tickets_4, while (atomicAdd(&turn, 0) != mine) __nanosleep(20);)

// Warps wait for each other where they shuffle.
//: <<<1, 64>>>
//: out = zeros(64)
//: out[0] == 34
__global__ void warps_wait_for_each_other_where_they_shuffle(int *out) {
    int v = __shfl_xor_sync(~0, threadIdx.x, 1);
    if (threadIdx.x == 0) { while (atomicAdd(&flag, 0) == 0) ; out[0] = v + out[1]; }
    if (threadIdx.x == 32) { out[1] = v; __threadfence(); atomicExch(&flag, 1); }
}

// Lanes of a warp that shuffles go together.

__device__ int a, b;

//: <<<1, 32>>>
//: options max_steps=10000
//: out = zeros(64)
__global__ void lanes_of_a_warp_that_shuffles_go_together(int *out) {
    while (atomicCAS(&a, 0, 1)) ;
//  ^ budget-exceeded x1: the lanes of a warp go on together
    atomicExch(&a, 0);
    __shfl_sync(~0, 1, 0);
}

// Two locks taken crosswise.
//: <<<1, 2>>>
//: options max_steps=10000
//: out = zeros(64)
__global__ void two_locks_taken_crosswise(int *out) {
    int t = threadIdx.x;
    while (atomicCAS(t ? &a : &b, 0, 1)) ;
    __syncthreads();
    while (atomicCAS(t ? &b : &a, 0, 1)) ;
//  ^ budget-exceeded x1: which no thread changes any more, though each of them has its turn
    atomicExch(&a, 0);
    atomicExch(&b, 0);
}
