// PTX's barriers in shared memory: producers that copy, consumers that wait, and what goes wrong without waiting.

// Arrivals that count more than once.
//: <<<1, 64>>>
//: out[t] == 63 - t % 64
__global__ void arrivals_that_count_more_than_once(int *out) {
    __shared__ unsigned long long b; __shared__ int s[64];
    unsigned at = (unsigned)__cvta_generic_to_shared(&b); int t = threadIdx.x, done; unsigned long long state;
    if (t == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 128;" :: "r"(at));
    __syncthreads();
    s[t] = t;
    asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 %0, [%1], 2;" : "=l"(state) : "r"(at));
    do asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }"
                    : "=r"(done) : "r"(at)); while (!done);
    out[t] = s[63 - t];
    __syncthreads();
    if (t == 0) asm volatile("mbarrier.inval.shared.b64 [%0];" :: "r"(at));
}

// Unsupported forms are refused.
//: <<<1, 32>>>
//: out = unwritten(1)
#define UNSUPPORTED_FORMS(NAME, ...) \
    __global__ void NAME(int *out) { \
        __shared__ unsigned long long b; __VA_ARGS__; \
    }
//: error: ptx instruction 'mbarrier.test_wait.shared
UNSUPPORTED_FORMS(unsupported_forms_refused_1,
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%0], 0; }" :: "r"((unsigned)__cvta_generic_to_shared(&b))))
//: error: ptx instruction 'mbarrier.arrive_drop
UNSUPPORTED_FORMS(unsupported_forms_refused_2,
    asm volatile("mbarrier.arrive_drop.shared.b64 _, [%0];" :: "r"((unsigned)__cvta_generic_to_shared(&b))))
//: error: b64 without a guard
UNSUPPORTED_FORMS(unsupported_forms_refused_3,
    asm volatile("{ .reg .pred p; @p mbarrier.test_wait.parity.shared.b64 p, [%0], 0; }" :: "r"((unsigned)__cvta_generic_to_shared(&b))))
//: error: takes 2 operands, 1 are given
UNSUPPORTED_FORMS(unsupported_forms_refused_4,
    asm volatile("mbarrier.init.shared.b64 [%0];" :: "r"((unsigned)__cvta_generic_to_shared(&b))))

// Buffers pass from producers to consumers and back.

__device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void arrive(unsigned long long *b) {
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(at(b)) : "memory");
}
__device__ void wait(unsigned long long *b, int parity) {
    asm volatile("{\n.reg .pred over;\nagain:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n@!over bra again;\n}"
                 :: "r"(at(b)), "r"(parity) : "memory");
}

//: <<<1, 64>>> every schedule
//: in = arange(160)
//: out = unwritten(32)
#define PIPELINE(NAME, WAIT_EMPTY, WAIT_FULL) \
    __global__ void NAME(const float *in, float *out) { \
        __shared__ unsigned long long full[2], empty[2]; \
        __shared__ float s[2][32]; \
        int t = threadIdx.x; \
        if (t < 2) { \
            asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(at(&full[t])), "r"(32) : "memory"); \
            asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(at(&empty[t])), "r"(32) : "memory"); \
        } \
        __syncthreads(); \
        if (t >= 32) { \
            asm volatile("setmaxnreg.dec.sync.aligned.u32 40;"); \
            for (int i = 0; i < 5; ++i) { \
                WAIT_EMPTY; \
                const float *from = in + i * 32 + t - 32; \
                asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(at(&s[i % 2][t - 32])), "l"(from)); \
                asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" :: "r"(at(&full[i % 2])) : "memory"); \
            } \
            return; \
        } \
        float sum = 0; \
        for (int i = 0; i < 5; ++i) { \
            WAIT_FULL; \
            sum += s[i % 2][31 - t]; \
            arrive(&empty[i % 2]); \
        } \
        out[t] = sum; \
    }
//: out == before["in"].reshape(5, 32).sum(axis=0)[::-1]
PIPELINE(producers_and_consumers_wait, if (i >= 2) wait(&empty[i % 2], i / 2 + 1 & 1), wait(&full[i % 2], i / 2 & 1))
// Without waiting for the copies there is a race.
//: data-race
//: besides uninitialised-read, barrier-divergence, result-never-written
PIPELINE(consumers_do_not_wait, if (i >= 2) wait(&empty[i % 2], i / 2 + 1 & 1), )
// Producers that run ahead end phases that consumers then miss.
//: barrier-divergence
PIPELINE(producers_do_not_wait, , wait(&full[i % 2], i / 2 & 1))
