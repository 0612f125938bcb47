// `bar.arrive`: warps that come to a numbered barrier and go on, while others wait there for them.

// A producer does not wait for its consumers.

__device__ void arrive(int id) { asm volatile("bar.arrive %0, 64;" :: "r"(id) : "memory"); }
__device__ void sync(int id) { asm volatile("bar.sync %0, %1;" :: "r"(id), "r"(64) : "memory"); }

//: <<<2, 64>>> every schedule
//: out = unwritten(2, 4, 32)
#define PRODUCER_DOES(NAME, ...) \
    __global__ void NAME(int *out) { \
        __shared__ int s[32]; int warp = threadIdx.x / 32, lane = threadIdx.x % 32; __VA_ARGS__ \
    }
//: out[t] == t // 32 % 4 * 100 + 31 - t % 32
PRODUCER_DOES(producer_does_wait_1,
    if (warp == 0) { for (int i = 0; i < 4; ++i) { sync(2); s[lane] = i * 100 + lane; arrive(1); } } else { arrive(2); for (int i = 0; i < 4; ++i) { sync(1); out[blockIdx.x * 128 + i * 32 + lane] = s[31 - lane]; if (i < 3) arrive(2); } })
//: data-race
PRODUCER_DOES(producer_does_wait_2,
    if (warp == 0) { for (int i = 0; i < 4; ++i) { sync(2); s[lane] = i * 100 + lane; arrive(1); s[lane] = 7; } } else { arrive(2); for (int i = 0; i < 4; ++i) { sync(1); out[blockIdx.x * 128 + i * 32 + lane] = s[31 - lane]; if (i < 3) arrive(2); } })
//: barrier-divergence
//: data-race
PRODUCER_DOES(producer_does_wait_3,
    if (warp == 0) { for (int i = 0; i < 4; ++i) { sync(2); s[lane] = i * 100 + lane; } } else { arrive(2); for (int i = 0; i < 4; ++i) { sync(1); out[blockIdx.x * 128 + i * 32 + lane] = s[31 - lane]; if (i < 3) arrive(2); } })
//: out[t] == t // 32 % 4 * 100 + 31 - t % 32
PRODUCER_DOES(producer_does_wait_4,
    if (warp == 0) { for (int i = 0; i < 4; ++i) { sync(2); s[lane] = i * 100 + lane; arrive(1); } } else { arrive(2); for (int i = 0; i < 4; ++i) { sync(1); out[blockIdx.x * 128 + i * 32 + lane] = s[31 - lane]; arrive(2); } })
