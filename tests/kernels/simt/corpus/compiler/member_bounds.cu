// Indices beyond an array member of a struct, inside of the object: reported where the element is used.

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
