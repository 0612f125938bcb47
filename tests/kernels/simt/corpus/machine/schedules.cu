// Orders of execution: results that may depend on them, and results that must not.

// Printf formats.
//: <<<1, 1>>>
#define PRINTF_FORMATS(NAME, ...) \
    __global__ void NAME() { \
        __VA_ARGS__; \
    }
PRINTF_FORMATS(printf_formats_1, printf("%5d|%-5d|%05d", 42, 42, -42))  //: printf == '   42|42   |-0042'
PRINTF_FORMATS(printf_formats_2, printf("%u %x %#X %o", -1, 255, 255, 8))  //: printf == '4294967295 ff 0XFF 10'
//: printf == '1099511627776 18446744073709551615'
PRINTF_FORMATS(printf_formats_3, printf("%lld %llu", 1LL << 40, ~0ULL))
PRINTF_FORMATS(printf_formats_4, printf("%hhd %hu", 200, -1))  //: printf == '-56 65535'
//: printf == '0.333 1.23e+04 0.5'
PRINTF_FORMATS(printf_formats_5, printf("%.3f %8.2e %g", 1.0f / 3, 12345.678, 0.5))
PRINTF_FORMATS(printf_formats_6, printf("%f %f", 1.0f / 0.0f, -1.0 / 0.0))  //: printf == 'inf -inf'
PRINTF_FORMATS(printf_formats_7, printf("100%% %c", 65))  //: printf == '100% A'
PRINTF_FORMATS(printf_formats_8, printf("%d % 4 == 1, 5%", 9))  //: printf == '9 % 4 == 1, 5%'
//: printf == 'x=    ab|0.500000 4'
PRINTF_FORMATS(printf_formats_9, printf("%s=%6s|%lf %zu", "x", "ab", 0.5, sizeof(int)))

// Large grids run in batches.
//: <<<600, 256>>> lockstep shuffle:5
//: out = zeros(153600)
//: out[t] == t // 256 + t % 256
__global__ void large_grids_run_in_batches(int *out) {
    __shared__ int s[256];
    s[threadIdx.x] = blockIdx.x;
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = s[255 - threadIdx.x] + threadIdx.x;
}

// Blocks wait for each other at a lock.
//: <<<5, 8>>> every schedule
//: lock = zeros(1)
//: sum = zeros(1)
//: sum[t] == 10
__global__ void blocks_wait_for_each_other_at_a_lock(int *lock, int *sum) {
    if (threadIdx.x == 0) {
      while (atomicCAS(lock, 0, 1) != 0) { }
      __threadfence();
      *sum += blockIdx.x;
      __threadfence();
      atomicExch(lock, 0);
    }
}
