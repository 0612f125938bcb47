// Indices beyond an array member of a struct, inside of the object: reported where the element is used.

#include <cuda/atomic>
#include <cuda_fp16.h>

// Correct member accesses are not reported.

struct In { int v[3]; short w; };
struct S { int before[2]; int middle[1]; int after[2]; int m[2][3]; In in[2]; int tail; };
struct Open { int n; int data[1]; };
union Both { int a[2]; int b[4]; };
struct Held { Both both; int tail; };

//: <<<1, 2>>>
//: p = zeros(400, "u1")
//: o = zeros(400, "u1")
//: h = zeros(400, "u1")
//: ns = full(2, 2)
#define CORRECT_MEMBER(NAME, ...) \
    __global__ void NAME(S *p, Open *o, Held *h, const int *ns) { \
        int t = threadIdx.x, n = ns[t]; __VA_ARGS__; \
    }
CORRECT_MEMBER(correct_member_accesses_1, p[t].before[n - 1] = 1; p[t].m[n - 1][n] = 1; p[t].in[n - 1].v[n] = 1)
CORRECT_MEMBER(correct_member_accesses_2, p[t].m[0][n + 2] = 1)
CORRECT_MEMBER(correct_member_accesses_3, for (int *q = p[t].before; q != &p[t].before[2]; ++q) *q = 1)
CORRECT_MEMBER(correct_member_accesses_4, int *end = &p[t].before[n]; p[t].tail = end - p[t].before)
CORRECT_MEMBER(correct_member_accesses_5, int *q = p[t].before; q[n] = 1)
CORRECT_MEMBER(correct_member_accesses_6, o[4 * t].data[n] = 1)
CORRECT_MEMBER(correct_member_accesses_7, h[t].both.a[n] = 1)
CORRECT_MEMBER(correct_member_accesses_8, if (n < 2 && p[t].before[n] == 0) p[t].tail = 1)
CORRECT_MEMBER(correct_member_accesses_9, if (n < 2) p[t].before[n] = 1)

// An index beyond the whole array is reported once.
//: <<<1, 2>>>
//: p = zeros(400, "u1")
//: o = zeros(400, "u1")
//: h = zeros(400, "u1")
//: ns = full(2, 2)
__global__ void an_index_beyond_the_whole_array_is_reported_once(S *p, Open *o, Held *h, const int *ns) {
    int t = threadIdx.x, n = ns[t];
    p[t].tail = p[t].before[n * 100];
//              ^ out-of-bounds x2
}

// Beyond a member.

namespace beyond_a_member {
struct In { int v[3]; short w; };
struct S { int before[2]; int middle[1]; int after[2]; int m[2][3]; In in[2]; int tail; };
struct Open { int n; int data[1]; };
union Both { int a[2]; int b[4]; };
struct Held { Both both; int tail; };

//: <<<1, 2>>> unrecorded
//: p = zeros(400, "u1")
//: o = zeros(400, "u1")
//: h = zeros(400, "u1")
//: ns = full(2, 2)
#define BEYOND_MEMBER(NAME, ...) \
    __global__ void NAME(S *p, Open *o, Held *h, const int *ns) { \
        int t = threadIdx.x, n = ns[t]; __VA_ARGS__; \
    }
//: out-of-bounds x2: p[0].middle[1], which is p[0].after[0], but middle has 1 element: 0 to 0
//: trace.hazards[0].accesses[0].access == "write"
BEYOND_MEMBER(beyond_member_1, p[t].middle[1] = 7)
//: out-of-bounds x2: p[0].middle[-1], which is p[0].before[1], but middle has 1
//: trace.hazards[0].accesses[0].access == "write"
BEYOND_MEMBER(beyond_member_2, p[t].middle[n - 3] = 7)
//: out-of-bounds x2: p[0].before[2], which is p[0].middle[0], but before has 2 elements: 0
//: trace.hazards[0].accesses[0].access == "read"
BEYOND_MEMBER(beyond_member_3, int x = p[t].before[n])
//: out-of-bounds x2: p[0].before[2], which is p[0].middle[0]
//: trace.hazards[0].accesses[0].access == "write"
BEYOND_MEMBER(beyond_member_4, p[t].before[n] += 1)
//: out-of-bounds x2: p[0].before[2], which is p[0].middle[0]
//: trace.hazards[0].accesses[0].access == "write"
BEYOND_MEMBER(beyond_member_5, p[t].before[n++]++)
//: out-of-bounds x2: p[0].after[2], which is p[0].m[0][0]
//: trace.hazards[0].accesses[0].access == "write"
BEYOND_MEMBER(beyond_member_6, p[t].after[ns[t]] = 1)
//: out-of-bounds x2: p[0].m[7], which is p[0].in[0].v[1], but m has 6 elements (2×3): 0 to 5
//: trace.hazards[0].accesses[0].access == "write"
BEYOND_MEMBER(beyond_member_7, p[t].m[n][1] = 1)
//: out-of-bounds x2: p[0].m[6], which is p[0].in[0].v[0]
//: trace.hazards[0].accesses[0].access == "write"
BEYOND_MEMBER(beyond_member_8, p[t].m[1][n + 1] = 1)
//: out-of-bounds x2: p[0].in[2], which is p[0].tail, but in has 2 elements: 0 to 1
//: trace.hazards[0].accesses[0].access == "write"
BEYOND_MEMBER(beyond_member_9, p[t].in[n].v[0] = 1)
//: out-of-bounds x2: p[0].in[1].v[3], which is p[0].in[1].w
//: trace.hazards[0].accesses[0].access == "write"
BEYOND_MEMBER(beyond_member_10, p[t].in[1].v[n + 1] = 1)
//: out-of-bounds x2: writes p[0].before[2], which is p[0].middle[0]
//: trace.hazards[0].accesses[0].access == "atomic"
BEYOND_MEMBER(beyond_member_11, atomicAdd(&p[t].before[n], 1))
//: out-of-bounds x2: p[0].before[2], which is p[0].middle[0]
//: trace.hazards[0].accesses[0].access == "write"
BEYOND_MEMBER(beyond_member_12, S &s = p[t]; s.before[n] = 1)
//: out-of-bounds x2: s[0].before[2], which is s[0].middle[0]
//: trace.hazards[0].accesses[0].access == "write"
BEYOND_MEMBER(beyond_member_13, __shared__ S s[2]; s[t].before[n] = 1)
//: out-of-bounds x2: s.before[2], which is s.middle[0]
//: trace.hazards[0].accesses[0].access == "write"
BEYOND_MEMBER(beyond_member_14, S s; s.before[n] = 1)
//: out-of-bounds x2: p[0].before[2], which is p[0].middle[0]
//: trace.hazards[0].accesses[0].access == "write"
BEYOND_MEMBER(beyond_member_15, S *q = t < n ? p + t : (S *)h; q->before[n] = 1)

// A thread that does not make the access is not counted.
//: <<<1, 2>>>
//: p = zeros(400, "u1")
//: o = zeros(400, "u1")
//: h = zeros(400, "u1")
//: ns = full(2, 2)
__global__ void a_thread_that_does_not_make_the_access_is_not_counted(S *p, Open *o, Held *h, const int *ns) {
    int t = threadIdx.x, n = ns[t];
    if (t == 1) p[t].before[n] = 1;
//              ^ out-of-bounds x1: p[1].before[2]
}
}

// All sorts of atomics are checked.

namespace sorts_atomics_checked_1 {
struct S { float2 w[2]; float2 z[2]; int tail, more; };

//: <<<1, 1>>> unrecorded
//: p = zeros(40, "u1")
//: n = 2
//: out-of-bounds: p[0].w[2], which is p[0].z[0]
//: trace.hazards[0].accesses[0].access == "atomic"
__global__ void sorts_atomics_checked_1(S *p, int n) {
    atomicAdd(&p->w[n], make_float2(1, 2));
}
}

namespace sorts_atomics_checked_2 {
struct S { __half2 w[2]; __half2 z[2]; int tail, more; };

//: <<<1, 1>>> unrecorded
//: p = zeros(24, "u1")
//: n = 2
//: out-of-bounds: p[0].w[2], which is p[0].z[0]
//: trace.hazards[0].accesses[0].access == "atomic"
__global__ void sorts_atomics_checked_2(S *p, int n) {
    atomicAdd(&p->w[n], __floats2half2_rn(1, 2));
}
}

namespace all_sorts_of_atomics_are_checked {
struct S { cuda::atomic<int> w[2]; cuda::atomic<int> z[2]; int tail, more; };

//: <<<1, 1>>> unrecorded
//: p = zeros(24, "u1")
//: n = 2
#define SORTS_ATOMICS(NAME, ...) \
    __global__ void NAME(S *p, int n) { \
        __VA_ARGS__; \
    }
//: out-of-bounds: p[0].w[2], which is p[0].z[0]
//: trace.hazards[0].accesses[0].access == "atomic"
SORTS_ATOMICS(sorts_atomics_checked_3, p->w[n].fetch_add(1))
//: out-of-bounds: p[0].w[2], which is p[0].z[0]
//: trace.hazards[0].accesses[0].access == "read"
SORTS_ATOMICS(sorts_atomics_checked_4, p->tail = p->w[n].load())
//: out-of-bounds: p[0].w[2], which is p[0].z[0]
//: trace.hazards[0].accesses[0].access == "atomic"
SORTS_ATOMICS(sorts_atomics_checked_5, p->w[n] = 1)
}

namespace sorts_atomics_checked_6 {
struct S { int w[2]; int z[2]; int tail, more; };

//: <<<1, 1>>> unrecorded
//: p = zeros(24, "u1")
//: n = 2
//: out-of-bounds: p[0].w[2], which is p[0].z[0]
//: trace.hazards[0].accesses[0].access == "atomic"
__global__ void sorts_atomics_checked_6(S *p, int n) {
    cuda::atomic_ref<int> r(p->w[n]); r.fetch_add(1);
}
}
