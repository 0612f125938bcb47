// Asynchronous copies: read when issued, written when waited for, group by group.

// Before the wait nothing has arrived.
//: A = arange(64) + 1
//: out = unwritten(64)
//: n = 0
//: result-never-written
#define BEFORE_WAIT(NAME, ...) \
    __global__ void NAME(const float *A, float *out, int n) { \
        __shared__ __align__(16) float pad[4], s[64]; int t = threadIdx.x; __VA_ARGS__ = s[4 * t]; \
    }
//: out[:8] == [-1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0]
//: out[8:16] == [1.0, 5.0, 9.0, 13.0, 17.0, 21.0, 25.0, 29.0]
//: data-race
BEFORE_WAIT(before_wait_nothing_1,
    pad[t % 4] = 0; unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]); s[4 * t] = -1;
    __pipeline_memcpy_async(&s[4 * t], A + 4 * t, 16); __pipeline_commit(); out[t] = s[4 * t];
    __pipeline_wait_prior(0); out[8 + t])
//: options max_steps=1027
//: out[:8] == [-1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0]
//: out[8:16] == [1.0, 5.0, 9.0, 13.0, 17.0, 21.0, 25.0, 29.0]
//: uninitialised-read
BEFORE_WAIT(before_wait_nothing_2,
    atomicExch(&pad[t % 4], 0); unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]); s[4 * t] = -1;
    __pipeline_memcpy_async(&s[4 * t], A + 4 * t, 16); __pipeline_commit(); out[t] = s[4 * t];
    __pipeline_wait_prior(0); out[8 + t])
//: data-race
//: uninitialised-read
BEFORE_WAIT(before_wait_nothing_3,
    pad[t % 4] = 0; unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]);
    __pipeline_memcpy_async(&s[4 * t], A + 4 * t, 16); out[t])
//: options max_steps=1015
//: uninitialised-read
BEFORE_WAIT(before_wait_nothing_4,
    atomicExch(&pad[t % 4], 0); unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]);
    __pipeline_memcpy_async(&s[4 * t], A + 4 * t, 16); out[t])
//: data-race
//: uninitialised-read
BEFORE_WAIT(before_wait_nothing_5,
    pad[t % 4] = 0; unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]);
    __pipeline_memcpy_async(&s[4 * t], A + 4 * t, 16); __pipeline_wait_prior(0); out[t])
//: options max_steps=1018
//: uninitialised-read
BEFORE_WAIT(before_wait_nothing_6,
    atomicExch(&pad[t % 4], 0); unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]);
    __pipeline_memcpy_async(&s[4 * t], A + 4 * t, 16); __pipeline_wait_prior(0); out[t])

// A wait leaves the latest groups in flight.
//: A = arange(64) + 1
//: out = unwritten(64)
//: n = 0
//: out[:24] == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0]
//: data-race
//: result-never-written
__global__ void wait_leaves_latest_1(const float *A, float *out, int n) {
    __shared__ __align__(16) float pad[4], s[64]; int t = threadIdx.x;
    pad[t % 4] = 0; unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]);
    for (int i = 0; i < 3; ++i) {
        s[8 * i + t] = -1;
        __pipeline_memcpy_async(s + 8 * i + t, A + 8 * i + t, 4);
        __pipeline_commit();
    }
    __pipeline_wait_prior(1);
    for (int i = 0; i < 3; ++i) out[8 * i + t] = s[8 * i + t];
}

//: options max_steps=1072
//: A = arange(64) + 1
//: out = unwritten(64)
//: n = 0
//: out[:24] == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0]
//: uninitialised-read
//: result-never-written
__global__ void wait_leaves_latest_2(const float *A, float *out, int n) {
    __shared__ __align__(16) float pad[4], s[64]; int t = threadIdx.x;
    atomicExch(&pad[t % 4], 0); unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]);
    for (int i = 0; i < 3; ++i) {
        s[8 * i + t] = -1;
        __pipeline_memcpy_async(s + 8 * i + t, A + 8 * i + t, 4);
        __pipeline_commit();
    }
    __pipeline_wait_prior(1);
    for (int i = 0; i < 3; ++i) out[8 * i + t] = s[8 * i + t];
}

// Threads commit and wait for themselves.
//: A = arange(64) + 1
//: out = unwritten(64)
//: n = 0
//: out[:8] == [1.0, -1.0, 3.0, -1.0, -1.0, -1.0, -1.0, -1.0]
//: data-race
//: result-never-written
__global__ void threads_commit_wait_1(const float *A, float *out, int n) {
    __shared__ __align__(16) float pad[4], s[64]; int t = threadIdx.x;
    pad[t % 4] = 0; unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]);
    s[t] = -1;
    if (t < 5) { __pipeline_memcpy_async(s + t, A + t, 4); if (t < 3) __pipeline_commit(); }
    if (t != 1) __pipeline_wait_prior(0);
    out[t] = s[t];
}

//: options max_steps=1033
//: A = arange(64) + 1
//: out = unwritten(64)
//: n = 0
//: out[:8] == [1.0, -1.0, 3.0, -1.0, -1.0, -1.0, -1.0, -1.0]
//: uninitialised-read
//: result-never-written
__global__ void threads_commit_wait_2(const float *A, float *out, int n) {
    __shared__ __align__(16) float pad[4], s[64]; int t = threadIdx.x;
    atomicExch(&pad[t % 4], 0); unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]);
    s[t] = -1;
    if (t < 5) { __pipeline_memcpy_async(s + t, A + t, 4); if (t < 3) __pipeline_commit(); }
    if (t != 1) __pipeline_wait_prior(0);
    out[t] = s[t];
}

// Bytes beyond the source size become zero.
//: A = arange(64) + 1
//: out = unwritten(64)
//: n = 0
//: out[:8] == [2.0, 6.0, 10.0, 14.0, 18.0, 0.0, 0.0, 0.0]
//: data-race
//: result-never-written
__global__ void bytes_beyond_source_1(const float *A, float *out, int n) {
    __shared__ __align__(16) float pad[4], s[64]; int t = threadIdx.x;
    pad[t % 4] = 0; unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]);
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], %2, %3;"
    :: "r"(to), "l"(A + 4 * t), "n"(16), "r"(t < 5 ? 16 : 0)); asm volatile("cp.async.wait_all;" ::: "memory"); out[t] = s[4 * t + 1];
}

//: options max_steps=1018
//: A = arange(64) + 1
//: out = unwritten(64)
//: n = 0
//: out[:8] == [2.0, 6.0, 10.0, 14.0, 18.0, 0.0, 0.0, 0.0]
//: uninitialised-read
//: result-never-written
__global__ void bytes_beyond_source_2(const float *A, float *out, int n) {
    __shared__ __align__(16) float pad[4], s[64]; int t = threadIdx.x;
    atomicExch(&pad[t % 4], 0); unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]);
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], %2, %3;"
    :: "r"(to), "l"(A + 4 * t), "n"(16), "r"(t < 5 ? 16 : 0)); asm volatile("cp.async.wait_all;" ::: "memory"); out[t] = s[4 * t + 1];
}

// Sizes.
//: A = arange(64) + 1
//: out = unwritten(64)
//: n = 0
//: result-never-written
#define SIZES(NAME, ...) \
    __global__ void NAME(const float *A, float *out, int n) { \
        __shared__ __align__(16) float pad[4], s[64]; int t = threadIdx.x; __VA_ARGS__; \
    }
//: out[:8] == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
//: data-race
SIZES(sizes_1,
    pad[t % 4] = 0; unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]);
    __pipeline_memcpy_async(s + 1 * t, A + 1 * t, 4); __pipeline_commit(); __pipeline_wait_prior(0);
    out[t] = s[1 * t + 0])
//: options max_steps=1021
//: out[:8] == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
//: uninitialised-read
SIZES(sizes_2,
    atomicExch(&pad[t % 4], 0); unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]);
    __pipeline_memcpy_async(s + 1 * t, A + 1 * t, 4); __pipeline_commit(); __pipeline_wait_prior(0);
    out[t] = s[1 * t + 0])
//: out[:8] == [2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0, 16.0]
//: data-race
SIZES(sizes_3,
    pad[t % 4] = 0; unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]);
    __pipeline_memcpy_async(s + 2 * t, A + 2 * t, 8); __pipeline_commit(); __pipeline_wait_prior(0);
    out[t] = s[2 * t + 1])
//: options max_steps=1021
//: out[:8] == [2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0, 16.0]
//: uninitialised-read
SIZES(sizes_4,
    atomicExch(&pad[t % 4], 0); unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]);
    __pipeline_memcpy_async(s + 2 * t, A + 2 * t, 8); __pipeline_commit(); __pipeline_wait_prior(0);
    out[t] = s[2 * t + 1])
//: out[:8] == [4.0, 8.0, 12.0, 16.0, 20.0, 24.0, 28.0, 32.0]
//: data-race
SIZES(sizes_5,
    pad[t % 4] = 0; unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]);
    __pipeline_memcpy_async(s + 4 * t, A + 4 * t, 16); __pipeline_commit(); __pipeline_wait_prior(0);
    out[t] = s[4 * t + 3])
//: options max_steps=1021
//: out[:8] == [4.0, 8.0, 12.0, 16.0, 20.0, 24.0, 28.0, 32.0]
//: uninitialised-read
SIZES(sizes_6,
    atomicExch(&pad[t % 4], 0); unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]);
    __pipeline_memcpy_async(s + 4 * t, A + 4 * t, 16); __pipeline_commit(); __pipeline_wait_prior(0);
    out[t] = s[4 * t + 3])

// Copies out of bounds and out of line.
//: A = arange(64) + 1
//: out = unwritten(64)
//: n = 0
#define COPIES_OUT(NAME, ...) \
    __global__ void NAME(const float *A, float *out, int n) { \
        __shared__ __align__(16) float pad[4], s[64]; int t = threadIdx.x; __VA_ARGS__; \
    }
//: data-race
//: out-of-bounds
COPIES_OUT(copies_out_bounds_1,
    pad[t % 4] = 0; unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]);
    __pipeline_memcpy_async(s + t, A + t + 60, 4); __pipeline_wait_prior(0))
//: options max_steps=1015
//: uninitialised-read
//: out-of-bounds
COPIES_OUT(copies_out_bounds_2,
    atomicExch(&pad[t % 4], 0); unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]);
    __pipeline_memcpy_async(s + t, A + t + 60, 4); __pipeline_wait_prior(0))
//: data-race
//: misaligned-access
COPIES_OUT(copies_out_bounds_3,
    pad[t % 4] = 0; unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]);
    __pipeline_memcpy_async(s + 4 * t, A + 4 * t + 1, 16))
//: options max_steps=1012
//: uninitialised-read
//: misaligned-access
COPIES_OUT(copies_out_bounds_4,
    atomicExch(&pad[t % 4], 0); unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]);
    __pipeline_memcpy_async(s + 4 * t, A + 4 * t + 1, 16))

// Refusals.
//: A = arange(64) + 1
//: out = unwritten(64)
//: n = 0
#define REFUSALS(NAME, ...) \
    __global__ void NAME(const float *A, float *out, int n) { \
        __shared__ __align__(16) float pad[4], s[64]; int t = threadIdx.x; pad[t % 4] = 0; \
        unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]); __VA_ARGS__; \
    }
//: error: not supported: ptx instruction 'cp.async.bulk.commit_group'
REFUSALS(refusals_1, asm volatile("cp.async.bulk.commit_group;"))
REFUSALS(refusals_2, __pipeline_memcpy_async(s, A, 12))
//                   ^ error: moves 4, 8 or 16 bytes, known when it is compiled, not 12
REFUSALS(refusals_3, __pipeline_memcpy_async(s, A, n + t))
//                   ^ error: known when it is compiled
//: error: has no operand %1
REFUSALS(refusals_4, asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" :: "r"(to)))
REFUSALS(refusals_5, n = (int)__cvta_generic_to_shared(out))
//                            ^ error: needs a pointer into shared memory
REFUSALS(refusals_6, __pipeline_memcpy_async(t, A, 4))
//                   ^ error: needs a pointer to global and an address in shared memory

// A copy may come at any time until the wait.
//: <<<1, 8>>> every schedule
//: A = arange(64) + 1
//: out = unwritten(64)
//: n = 0
//: besides result-never-written, uninitialised-read
#define COPY_COME(NAME, ...) \
    __global__ void NAME(const float *A, float *out, int n) { \
        __shared__ __align__(16) float pad[4], s[64]; int t = threadIdx.x; __VA_ARGS__ \
    }
//: data-race
COPY_COME(copy_come_any_1,
    pad[t % 4] = 0; unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]); s[t] = s[32 + t] = 0;
    __syncthreads(); __pipeline_memcpy_async(&s[t], A + t, 4); __pipeline_commit();
    for (int k = 0; k < 4; ++k) { if (k < 3) __pipeline_memcpy_async(&s[(k + 1) % 2 * 32 + t], A + (k + 1) * 8 + t, 4); __pipeline_commit(); __pipeline_wait_prior(1); __syncthreads(); out[k * 8 + t] = s[k % 2 * 32 + 7 - t]; __syncthreads(); })
//: options max_steps=1117
COPY_COME(copy_come_any_2,
    atomicExch(&pad[t % 4], 0); unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]); s[t] = s[32 + t] = 0;
    __syncthreads(); __pipeline_memcpy_async(&s[t], A + t, 4); __pipeline_commit();
    for (int k = 0; k < 4; ++k) { if (k < 3) __pipeline_memcpy_async(&s[(k + 1) % 2 * 32 + t], A + (k + 1) * 8 + t, 4); __pipeline_commit(); __pipeline_wait_prior(1); __syncthreads(); out[k * 8 + t] = s[k % 2 * 32 + 7 - t]; __syncthreads(); })
//: data-race
COPY_COME(copy_come_any_3,
    pad[t % 4] = 0; unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]); s[t] = s[32 + t] = 0;
    __syncthreads(); __pipeline_memcpy_async(&s[t], A + t, 4); __pipeline_commit();
    for (int k = 0; k < 4; ++k) { if (k < 3) __pipeline_memcpy_async(&s[(k + 1) % 2 * 32 + t], A + (k + 1) * 8 + t, 4); __pipeline_commit(); __pipeline_wait_prior(0); __syncthreads(); out[k * 8 + t] = s[k % 2 * 32 + 7 - t]; __syncthreads(); })
//: options max_steps=1117
COPY_COME(copy_come_any_4,
    atomicExch(&pad[t % 4], 0); unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]); s[t] = s[32 + t] = 0;
    __syncthreads(); __pipeline_memcpy_async(&s[t], A + t, 4); __pipeline_commit();
    for (int k = 0; k < 4; ++k) { if (k < 3) __pipeline_memcpy_async(&s[(k + 1) % 2 * 32 + t], A + (k + 1) * 8 + t, 4); __pipeline_commit(); __pipeline_wait_prior(0); __syncthreads(); out[k * 8 + t] = s[k % 2 * 32 + 7 - t]; __syncthreads(); })
//: data-race
COPY_COME(copy_come_any_5,
    pad[t % 4] = 0; unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]); s[t] = s[32 + t] = 0;
    __syncthreads(); __pipeline_memcpy_async(&s[t], A + t, 4); __pipeline_commit();
    for (int k = 0; k < 4; ++k) { if (k < 3) __pipeline_memcpy_async(&s[(k + 1) % 2 * 32 + t], A + (k + 1) * 8 + t, 4); __pipeline_commit(); __pipeline_wait_prior(1); out[k * 8 + t] = s[k % 2 * 32 + t]; })
//: options max_steps=1093
COPY_COME(copy_come_any_6,
    atomicExch(&pad[t % 4], 0); unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]); s[t] = s[32 + t] = 0;
    __syncthreads(); __pipeline_memcpy_async(&s[t], A + t, 4); __pipeline_commit();
    for (int k = 0; k < 4; ++k) { if (k < 3) __pipeline_memcpy_async(&s[(k + 1) % 2 * 32 + t], A + (k + 1) * 8 + t, 4); __pipeline_commit(); __pipeline_wait_prior(1); out[k * 8 + t] = s[k % 2 * 32 + t]; })
//: data-race: __syncthreads()
COPY_COME(copy_come_any_7,
    pad[t % 4] = 0; unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]); s[t] = s[32 + t] = 0;
    __syncthreads(); __pipeline_memcpy_async(&s[t], A + t, 4); __pipeline_commit();
    for (int k = 0; k < 4; ++k) { if (k < 3) __pipeline_memcpy_async(&s[(k + 1) % 2 * 32 + t], A + (k + 1) * 8 + t, 4); __pipeline_commit(); __pipeline_wait_prior(1); __syncthreads(); out[k * 8 + t] = s[k % 2 * 32 + 7 - t]; })
//: options max_steps=1105
//: data-race: __syncthreads()
COPY_COME(copy_come_any_8,
    atomicExch(&pad[t % 4], 0); unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]); s[t] = s[32 + t] = 0;
    __syncthreads(); __pipeline_memcpy_async(&s[t], A + t, 4); __pipeline_commit();
    for (int k = 0; k < 4; ++k) { if (k < 3) __pipeline_memcpy_async(&s[(k + 1) % 2 * 32 + t], A + (k + 1) * 8 + t, 4); __pipeline_commit(); __pipeline_wait_prior(1); __syncthreads(); out[k * 8 + t] = s[k % 2 * 32 + 7 - t]; })
//: options max_steps=1105
//: data-race: __syncthreads()
COPY_COME(copy_come_any_9,
    pad[t % 4] = 0; unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]); s[t] = s[32 + t] = 0;
    __syncthreads(); __pipeline_memcpy_async(&s[t], A + t, 4); __pipeline_commit();
    for (int k = 0; k < 4; ++k) { if (k < 3) __pipeline_memcpy_async(&s[(k + 1) % 2 * 32 + t], A + (k + 1) * 8 + t, 4); __pipeline_commit(); __pipeline_wait_prior(1); __syncthreads(); out[k * 8 + t] = s[k % 2 * 32 + 7 - t]; __syncthreads(); })
//: data-race: __syncthreads()
//: data-race
COPY_COME(copy_come_any_10,
    pad[t % 4] = 0; unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]); s[t] = s[32 + t] = 0;
    __syncthreads(); __pipeline_memcpy_async(&s[t], A + t, 4); __pipeline_commit();
    for (int k = 0; k < 4; ++k) { if (k < 3) __pipeline_memcpy_async(&s[(k + 1) % 2 * 32 + t], A + (k + 1) * 8 + t, 4); __pipeline_commit(); __pipeline_wait_prior(1); out[k * 8 + t] = s[k % 2 * 32 + 7 - t]; __syncthreads(); })
//: options max_steps=1105
//: data-race: __syncthreads()
//: data-race
COPY_COME(copy_come_any_11,
    atomicExch(&pad[t % 4], 0); unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]); s[t] = s[32 + t] = 0;
    __syncthreads(); __pipeline_memcpy_async(&s[t], A + t, 4); __pipeline_commit();
    for (int k = 0; k < 4; ++k) { if (k < 3) __pipeline_memcpy_async(&s[(k + 1) % 2 * 32 + t], A + (k + 1) * 8 + t, 4); __pipeline_commit(); __pipeline_wait_prior(1); out[k * 8 + t] = s[k % 2 * 32 + 7 - t]; __syncthreads(); })
//: options max_steps=1105
//: data-race: __syncthreads()
//: data-race
COPY_COME(copy_come_any_12,
    pad[t % 4] = 0; unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]); s[t] = s[32 + t] = 0;
    __syncthreads(); __pipeline_memcpy_async(&s[t], A + t, 4); __pipeline_commit(); __syncthreads();
    for (int k = 0; k < 4; ++k) { if (k < 3) __pipeline_memcpy_async(&s[(k + 1) % 2 * 32 + t], A + (k + 1) * 8 + t, 4); __pipeline_commit(); __pipeline_wait_prior(1); out[k * 8 + t] = s[k % 2 * 32 + 7 - t]; __syncthreads(); })
//: options max_steps=1105
//: data-race: __syncthreads()
//: data-race
COPY_COME(copy_come_any_13,
    pad[t % 4] = 0; unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]); s[t] = s[32 + t] = 0;
    __pipeline_wait_prior(0); __syncthreads(); __pipeline_memcpy_async(&s[t], A + t, 4); __pipeline_commit();
    for (int k = 0; k < 4; ++k) { if (k < 3) __pipeline_memcpy_async(&s[(k + 1) % 2 * 32 + t], A + (k + 1) * 8 + t, 4); __pipeline_commit(); __pipeline_wait_prior(1); out[k * 8 + t] = s[k % 2 * 32 + 7 - t]; __syncthreads(); })
//: options max_steps=1105
//: data-race: __syncthreads()
COPY_COME(copy_come_any_14,
    pad[t % 4] = 0; unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]); s[t] = s[32 + t] = 0;
    __syncthreads(); __pipeline_memcpy_async(&s[t], A + t, 4); __pipeline_commit();
    for (int k = 0; k < 4; ++k) { if (k < 3) __pipeline_memcpy_async(&s[(k + 1) % 2 * 32 + t], A + (k + 1) * 8 + t, 4); __pipeline_commit(); __pipeline_wait_prior(1); __syncthreads(); out[k * 8 + t] = s[k % 2 * 32 + 7 - t]; __syncthreads(); })
//: data-race
//: data-race: may still be under way
COPY_COME(copy_come_any_15,
    pad[t % 4] = 0; unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]); s[t] = s[32 + t] = 0;
    __syncthreads(); __pipeline_memcpy_async(&s[t], A + t, 4); __pipeline_commit();
    for (int k = 0; k < 4; ++k) { if (k < 3) __pipeline_memcpy_async(&s[(k + 1) % 2 * 32 + t], A + (k + 1) * 8 + t, 4); __pipeline_commit(); __pipeline_wait_prior(2); __syncthreads(); out[k * 8 + t] = s[k % 2 * 32 + 7 - t]; __syncthreads(); })
//: options max_steps=1117
//: data-race: may still be under way
COPY_COME(copy_come_any_16,
    atomicExch(&pad[t % 4], 0); unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]); s[t] = s[32 + t] = 0;
    __syncthreads(); __pipeline_memcpy_async(&s[t], A + t, 4); __pipeline_commit();
    for (int k = 0; k < 4; ++k) { if (k < 3) __pipeline_memcpy_async(&s[(k + 1) % 2 * 32 + t], A + (k + 1) * 8 + t, 4); __pipeline_commit(); __pipeline_wait_prior(2); __syncthreads(); out[k * 8 + t] = s[k % 2 * 32 + 7 - t]; __syncthreads(); })
//: options max_steps=1117
//: data-race
COPY_COME(copy_come_any_17,
    pad[t % 4] = 0; unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]); s[t] = s[32 + t] = 0;
    __syncthreads(); __pipeline_memcpy_async(&s[t], A + t, 4); __pipeline_commit();
    for (int k = 0; k < 4; ++k) { if (k < 3) __pipeline_memcpy_async(&s[(k + 1) % 2 * 32 + t], A + (k + 1) * 8 + t, 4); __pipeline_commit(); __pipeline_wait_prior(2); __pipeline_wait_prior(0); __syncthreads(); out[k * 8 + t] = s[k % 2 * 32 + 7 - t]; __syncthreads(); })
