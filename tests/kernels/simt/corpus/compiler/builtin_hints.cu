// Compiler hints (`__builtin_assume`, `__builtin_expect` and the like) and grid dependency calls.

// Assumptions that hold.
//: out[t] == 31 + t.bit_count()
__global__ void assumptions_that_hold(int *out) {
    int t = threadIdx.x, r = 0;
    __builtin_assume(t >= 0); __assume(t < 8);
        if (__builtin_expect(t > 7, 0)) __builtin_unreachable();
        int *same = (int *)__builtin_assume_aligned(&r, 4);
        *same = __builtin_popcount(t) + __builtin_clz(1);
    out[t] = r;
}

// An assumption that does not hold is reported.
__global__ void an_assumption_that_does_not_hold_is_reported(int *out) {
    __builtin_assume(threadIdx.x != 3); out[threadIdx.x] = 1;
//  ^ assertion x1: __builtin_assume(threadIdx.x != 3) does not hold
}

// Grid dependency calls have no effect in a single grid.
//: out[t] == t
__global__ void grid_dependency_calls_have_no_effect_in_a_single_grid(int *out) {
    int t = threadIdx.x, r = 0;
    cudaGridDependencySynchronize(); r = t; cudaTriggerProgrammaticLaunchCompletion();
    out[t] = r;
}
