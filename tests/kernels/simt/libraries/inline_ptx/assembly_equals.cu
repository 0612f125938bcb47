// Inline PTX, and the same lines of CUDA C: test_assembly_equals.py compares the two kernels of each pair.

//: <<<1, 64>>> lockstep warps reversed
//: A = arange(256) * 7 % 97 - 48
//: W = (arange(256) * 2654435761 % 4294967291).astype("i4")
#define LINES(NAME, ...) \
    __global__ void NAME(const float *A, int *W, float *out, int *numbers) { \
        __shared__ __align__(16) float s[256]; \
        int t = threadIdx.x; \
        s[t] = A[t]; s[t + 64] = A[t + 64]; s[t + 128] = A[t + 128]; s[t + 192] = A[t + 192]; \
        __syncthreads(); \
        unsigned at = (unsigned)__cvta_generic_to_shared(s); \
        float x = 0, y = 0, z = 0, w = 0; \
        int n = 0, m = 0; \
        __VA_ARGS__ \
        out[t] = x + 2 * y + 4 * z + 8 * w; \
        numbers[t] = n + 3 * m; \
    }

LINES(load_global_ptx, asm("ld.global.f32 %0, [%1];" : "=f"(x) : "l"(A + t));)
LINES(load_global_cuda, x = A[t];)
LINES(load_hints_ptx,
    asm volatile("ld.global.nc.L1::no_allocate.L2::128B.f32 %0, [%1];" : "=f"(x) : "l"(A + t) : "memory");)
LINES(load_hints_cuda, x = __ldg(A + t);)
LINES(load_four_ptx,
    asm("ld.global.cs.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(A + 4 * t));)
LINES(load_four_cuda, float4 v = *(const float4 *)(A + 4 * t); x = v.x; y = v.y; z = v.z; w = v.w;)
LINES(load_as_bits_ptx, asm("ld.global.cg.b32 %0, [%1];" : "=r"(n) : "l"(A + t));)
LINES(load_as_bits_cuda, n = *(const int *)(A + t);)
LINES(load_further_on_ptx, asm("ld.global.f32 %0, [%1+16];" : "=f"(x) : "l"(A + t));)
LINES(load_further_on_cuda, x = *(A + t + 4);)
LINES(load_further_back_ptx, asm("ld.global.v2.f32 {%0, %1}, [%2+-8];" : "=f"(x), "=f"(y) : "l"(A + 2 * t + 2));)
LINES(load_further_back_cuda, float2 v = *(const float2 *)(A + 2 * t); x = v.x; y = v.y;)
LINES(load_shared_ptx, asm("ld.shared.f32 %0, [%1];" : "=f"(x) : "r"(at + 4 * t));)
LINES(load_shared_cuda, x = s[t];)
LINES(load_four_shared_ptx,
    asm("ld.volatile.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "r"(at + 16 * t));)
LINES(load_four_shared_cuda, float4 v = *(const float4 *)(s + 4 * t); x = v.x; y = v.y; z = v.z; w = v.w;)
LINES(load_a_pointer_to_shared_ptx, asm("ld.f32 %0, [%1];" : "=f"(x) : "l"(s + t));)
LINES(load_a_pointer_to_shared_cuda, x = s[t];)
LINES(load_an_address_made_in_PTX_ptx,
    { unsigned to; asm("{ .reg .u64 u; cvta.to.shared.u64 u, %1; cvt.u32.u64 %0, u; }" : "=r"(to) : "l"(s + t)); asm("ld.shared.f32 %0, [%1];" : "=f"(x) : "r"(to)); })
LINES(load_an_address_made_in_PTX_cuda, x = s[t];)
LINES(load_out_of_bounds_ptx, asm("ld.global.f32 %0, [%1];" : "=f"(x) : "l"(A + t + 200));)
LINES(load_out_of_bounds_cuda, x = *(A + t + 200);)
LINES(load_misaligned_ptx, asm("ld.global.v2.f32 {%0, %1}, [%2];" : "=f"(x), "=f"(y) : "l"(A + t));)
LINES(load_misaligned_cuda, float2 v = *(const float2 *)(A + t); x = v.x; y = v.y;)

LINES(store_global_ptx, asm("st.global.u32 [%0], %1;" :: "l"(W + t), "r"(t));)
LINES(store_global_cuda, W[t] = t;)
LINES(store_four_ptx,
    asm volatile("st.global.wt.v4.s32 [%0], {%1, %1, %2, 7};" :: "l"(W + 4 * t), "r"(t), "r"(2 * t) : "memory");)
LINES(store_four_cuda, *(int4 *)(W + 4 * t) = make_int4(t, t, 2 * t, 7);)
LINES(store_shared_ptx, asm("st.shared.f32 [%0], %1;" :: "r"(at + 4 * t), "f"(A[t] + 1)); x = s[t];)
LINES(store_shared_cuda, s[t] = A[t] + 1; x = s[t];)
LINES(store_race_ptx, asm("st.shared.f32 [%0], %1;" :: "r"(at), "f"(A[t]));)
LINES(store_race_cuda, s[0] = A[t];)
LINES(store_only_some_lanes_ptx,
    asm("{ .reg .pred p; setp.lt.s32 p, %2, 40; @p st.global.u32 [%0], %1; }" :: "l"(W + t), "r"(t), "r"(t));)
LINES(store_only_some_lanes_cuda, if (t < 40) W[t] = t;)

LINES(guard_or_zero_ptx,
    asm("{.reg .pred p; setp.ne.b32 p, %2, 0; @!p mov.b32 %0, 0; @p ld.global.nc.f32 %0, [%1];}" : "=f"(x) : "l"(A + t), "r"((int)(t % 3 == 1)));)
LINES(guard_or_zero_cuda, x = 0; if (t % 3 == 1) x = A[t];)
LINES(guard_in_and_out_ptx,
    asm("{ .reg .pred p; setp.gt.s32 p, %1, 9; @p add.s32 %0, %0, %1; @!p sub.s32 %0, %0, 5; }" : "+r"(n) : "r"(t));)
LINES(guard_in_and_out_cuda, n = t > 9 ? n + t : n - 5;)
LINES(guard_several_ptx,
    asm("ld.global.v2.f32 {%0, %1}, [%4]; ld.global.v2.f32 {%2, %3}, [%5];" : "=f"(x), "=f"(z), "=f"(y), "=f"(w) : "l"(A + 2 * t), "l"(A + 128 + 2 * t));)
LINES(guard_several_cuda,
    float2 a = *(const float2 *)(A + 2 * t), b = *(const float2 *)(A + 128 + 2 * t); x = a.x; z = a.y; y = b.x;
    w = b.y;)
LINES(guard_a_register_of_its_own_ptx,
    n = 5; asm("{.reg .s32 v; ld.global.cg.b32 v, [%1]; add.s32 %0, v, %0;}" : "+r"(n) : "l"(W + t));)
LINES(guard_a_register_of_its_own_cuda, n = 5; n += W[t];)
LINES(guard_an_element_as_output_ptx, asm("add.s32 %0, %1, 1;" : "=r"(W[t]) : "r"(W[t]));)
LINES(guard_an_element_as_output_cuda, W[t] = W[t] + 1;)

LINES(atomic_add_ptx, asm("atom.relaxed.gpu.global.add.u32 %0, [%1], %2;" : "=r"(n) : "l"(W + t % 4), "r"(t));)
LINES(atomic_add_cuda, n = atomicAdd(W + t % 4, t);)
LINES(atomic_cas_ptx, asm("atom.global.cas.b32 %0, [%1], %2, %3;" : "=r"(n) : "l"(W + t), "r"(0), "r"(t));)
LINES(atomic_cas_cuda, n = atomicCAS((unsigned *)(W + t), 0u, (unsigned)t);)

LINES(warp_redux_ptx, asm("redux.sync.add.s32 %0, %1, 0xffffffff;" : "=r"(n) : "r"(t));)
LINES(warp_redux_cuda, n = __reduce_add_sync(0xffffffff, t);)
LINES(warp_elect_ptx,
    n = 0; asm("{ .reg .b32 r; .reg .pred p; elect.sync r|p, 0xfffffff0; @p mov.u32 %0, 1; }" : "+r"(n));)
LINES(warp_elect_cuda, n = t % 32 == 4;)

LINES(barrier_whole_block_ptx, s[t] = t; asm volatile("bar.sync 0;" ::: "memory"); x = s[63 - t];)
LINES(barrier_whole_block_cuda, s[t] = t; __syncthreads(); x = s[63 - t];)
LINES(barrier_none_ptx, s[t] = t; x = s[63 - t];)
LINES(barrier_none_cuda, s[t] = t; x = s[63 - t];)
LINES(barrier_number_and_threads_ptx,
    s[t] = t; asm volatile("barrier.sync.aligned %0, %1;" :: "n"(3), "r"(64)); x = s[63 - t];)
LINES(barrier_number_and_threads_cuda, s[t] = t; __barrier_sync_count(3, 64); x = s[63 - t];)
LINES(barrier_clock_ptx, s[t] = t; asm volatile("bar.sync 0; mov.u32 %0, %%clock;" : "=r"(n)); x = s[63 - t];)
LINES(barrier_clock_cuda, s[t] = t; __syncthreads(); n = clock(); x = s[63 - t];)
LINES(barrier_halves_of_the_block_ptx,
    s[t] = t; asm volatile("bar.sync %0, %1;" :: "r"(1 + t / 32), "n"(32)); x = s[t ^ 31];)
LINES(barrier_halves_of_the_block_cuda, s[t] = t; __barrier_sync_count(1 + t / 32, 32); x = s[t ^ 31];)
LINES(barrier_left_by_some_ptx, if (t < 32) { asm volatile("bar.sync 0;"); })
LINES(barrier_left_by_some_cuda, if (t < 32) { __syncthreads(); })
