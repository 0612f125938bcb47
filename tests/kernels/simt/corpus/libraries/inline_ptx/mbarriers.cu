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
//: error: ptx instruction 'mbarrier.arrive.expect_tx
UNSUPPORTED_FORMS(unsupported_forms_refused_2,
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 16;" :: "r"((unsigned)__cvta_generic_to_shared(&b))))
//: error: b64 without a guard
UNSUPPORTED_FORMS(unsupported_forms_refused_3,
    asm volatile("{ .reg .pred p; @p mbarrier.test_wait.parity.shared.b64 p, [%0], 0; }" :: "r"((unsigned)__cvta_generic_to_shared(&b))))
//: error: takes 2 operands, 1 are given
UNSUPPORTED_FORMS(unsupported_forms_refused_4,
    asm volatile("mbarrier.init.shared.b64 [%0];" :: "r"((unsigned)__cvta_generic_to_shared(&b))))
