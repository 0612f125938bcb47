// Inline PTX that is not executed is refused, with its place and what to write instead.

// Refusals.
//: <<<1, 64>>>
//: A = arange(256) * 7 % 97 - 48
//: W = (arange(256) * 2654435761 % 4294967291).astype("i4")
#define REFUSALS(NAME, ...) \
    __global__ void NAME(const float *A, int *W, float *out, int *numbers) { \
        __shared__ __align__(16) float s[256]; int t = threadIdx.x; s[t] = A[t]; s[t + 64] = A[t + 64]; \
        s[t + 128] = A[t + 128]; s[t + 192] = A[t + 192]; __syncthreads(); \
        unsigned at = (unsigned)__cvta_generic_to_shared(s); float x = 0, y = 0, z = 0, w = 0; int n = 0, m = 0; \
        __VA_ARGS__; out[t] = x + 2 * y + 4 * z + 8 * w; numbers[t] = n + 3 * m; \
    }
//: error: not supported: ptx instruction 'tcgen05.fence.sync'; supported
REFUSALS(refusals_1, asm("tcgen05.fence.sync;"))
//: error: not supported: ptx instruction 'add.cc.u32'; supported are
REFUSALS(refusals_2, asm("add.cc.u32 %0, %0, 1;" : "+r"(n)))
//: error: not supported: ptx instruction 'lop3.b32'; supported are
REFUSALS(refusals_3, asm("lop3.b32 %0, %0, %0, %0, 3;" : "+r"(n)))
//: error: ptx instruction 'shfl.sync.down.b32'
REFUSALS(refusals_4, asm("shfl.sync.down.b32 %0, %0, 1, 31, -1;" : "+r"(n)))
//: error: ptx instruction 'red.global.add.u32'
REFUSALS(refusals_5, asm("red.global.add.u32 [%0], 1;" :: "l"(W)))
//: error: ptx instruction 'fma.rn.f32'
REFUSALS(refusals_6, asm("fma.rn.f32 %0, %0, %0, %0;" : "+f"(x)))
//: error: not supported: ptx name '0f00000000'
REFUSALS(refusals_7, asm("mov.f32 %0, 0f00000000;" : "=f"(x)))
//: error: label 'again'; write it in CUDA C
REFUSALS(refusals_8, asm("again: bra again;"))
//: error: not supported: ptx special register '%envreg3'
REFUSALS(refusals_9, asm("mov.u32 %0, %%envreg3;" : "=r"(n)))
//: error: not supported: ptx name '%5'
REFUSALS(refusals_10, asm("mov.u32 %0, %5;" : "=r"(n)))
//: error: not supported: ptx name 'other'
REFUSALS(refusals_11, asm("mov.u32 %0, other;" : "=r"(n)))
//: error: register %1 holds float, this instruction takes
REFUSALS(refusals_12, asm("mov.u64 %0, %1;" : "=l"(*(long long *)W) : "f"(x)))
//: error: register %1 holds unsigned int, this instruction takes
REFUSALS(refusals_13, asm("mov.f64 %0, %1;" : "=r"(n) : "r"(n)))
//: error: add.u32 takes 3 operands, 2 are given
REFUSALS(refusals_14, asm("add.u32 %0, %1;" : "=r"(n) : "r"(n)))
//: error: takes registers, not these operands
REFUSALS(refusals_15, asm("add.u32 %0, %1, [%1];" : "=r"(n) : "r"(n)))
//: error: writes %0, which is no output
REFUSALS(refusals_16, asm("add.u32 %0, %0, 1;" :: "r"(n)))
//: error: !%0: only predicates are negated so
REFUSALS(refusals_17, asm("add.u32 %0, !%0, 1;" : "+r"(n)))
REFUSALS(refusals_18, asm("mov.u32 %0, 1;" : "=r"(x)))
//                                                ^ error: this output of asm is unsigned int, not float
REFUSALS(refusals_19, asm("mov.u32 %0, %1;" : "=r"(n) : "r"(A)))
//                                                          ^ error: this operand of asm is unsigned int, not const float *
REFUSALS(refusals_20, asm("mov.u32 %0, %1;" : "=r"(n) : "x"(n)))
//                                                          ^ error: operand "x" of asm; "h", "r", "l", "f", "d" and "n"
REFUSALS(refusals_21, asm("mov.u32 %0, %1;" : "=r"(n) : "n"(t)))
//                                                          ^ error: must be known when it is compiled
//: error: 's', which is shared memory; take its address
REFUSALS(refusals_22, asm("ld.shared.f32 %0, [%1];" : "=f"(x) : "l"(s + t)))
//: error: 's', which is shared memory; leave out .global
REFUSALS(refusals_23, asm("ld.global.f32 %0, [%1];" : "=f"(x) : "l"(s + t)))
//: error: ptx instruction 'ld.param.f32'
REFUSALS(refusals_24, asm("ld.param.f32 %0, [%1];" : "=f"(x) : "l"(A)))
//: error: takes 2 registers, 1 are given
REFUSALS(refusals_25, asm("ld.global.v2.f32 %0, [%1];" : "=f"(x) : "l"(A)))
//: error: an address must be in brackets
REFUSALS(refusals_26, asm("ld.global.f32 %0, %1;" : "=f"(x) : "l"(A)))
//: error: this is const or a whole array: it cannot be assigned
REFUSALS(refusals_27, asm("st.global.f32 [%0], %1;" :: "l"(A), "f"(x)))
//: error: 'atom.global.add.s64'
REFUSALS(refusals_28, asm("atom.global.add.s64 %0, [%1], %0;" : "+l"(*(long long *)W) : "l"(W)))
//: error: ptx instruction 'bar.red.popc.u32'
REFUSALS(refusals_29, asm("{ .reg .pred p; bar.red.popc.u32 %0, 0, p; }" : "=r"(n)))
//: error: a block's barriers have the numbers 0 to 15, not 16
REFUSALS(refusals_30, asm("bar.sync 16;"))
//: error: ptx instruction 'membar.gl'
REFUSALS(refusals_31, asm("membar.gl;"))
//: error: ptx instruction 'prefetch.global.L2'
REFUSALS(refusals_32, asm("prefetch.global.L2 [%0];" :: "l"(A)))
//: error: ptx instruction 'ld.global.global.f32'
REFUSALS(refusals_33, asm("ld.global.global.f32 %0, [%1];" : "=f"(x) : "l"(A)))
//: error: a barrier waits for whole warps, not for 20 threads
REFUSALS(refusals_34, asm("bar.sync 1, 20;"))
//: error: %0 holds float, which is no address
REFUSALS(refusals_35, asm("ld.f32 %0, [%0];" : "+f"(x)))
//: error: holds unsigned int, which is no address of .global
REFUSALS(refusals_36, asm("ld.global.f32 %0, [%1];" : "=f"(x) : "r"(at)))
//: error: ';' is missing before 'its end'; write it in CUDA C
REFUSALS(refusals_37, asm("bar.sync 0"))
//: error: bar.arrive takes 2 operands, 1 are given
REFUSALS(refusals_38, asm("bar.arrive 1;"))
//: error: not supported: ptx instruction 'bar.arrive 0'; use another number
REFUSALS(refusals_39, asm("bar.arrive 0, 64;"))
//: error: write bar.sync without a guard
REFUSALS(refusals_40, asm("{ .reg .pred p; setp.eq.s32 p, 1, 1; @p bar.sync 0; }"))
//: error: ptx instruction 'trap'
REFUSALS(refusals_41, asm("trap;"))
//: error: ptx instruction 'cvta.global.u64'
REFUSALS(refusals_42, asm("cvta.global.u64 %0, %0;" : "+l"(*(long long *)W)))
//: error: cvta.to.shared takes a pointer
REFUSALS(refusals_43, asm("cvta.to.shared.u64 %0, %0;" : "+l"(*(long long *)W)))
//: error: elect.sync gives a lane and a predicate
REFUSALS(refusals_44, asm("elect.sync %0, -1;" : "=r"(n)))
//: error: ptx instruction 'cvt.rz.f32.s32'
REFUSALS(refusals_45, asm("cvt.rz.f32.s32 %0, %1;" : "=f"(x) : "r"(n)))
//: error: ptx register of type .b128
REFUSALS(refusals_46, asm(".reg .b128 q; mov.u32 %0, 1;" : "=r"(n)))
