// Assignment operators of structs: chained, compound, nested in other structs.

// Assignments.

namespace assignments {
struct N {
    int n;
    __device__ N &operator=(const N &o) { n = o.n + 1; return *this; }
    __device__ N &operator+=(const N &o) { n += 2 * o.n; return *this; }
};

#define ASSIGNMENTS(NAME, ...) \
    __global__ void NAME(int *out) { \
        __VA_ARGS__; \
    }
//: out[t] == t + 100 * (t + 1) + 10000 * (t + 2)
ASSIGNMENTS(one_after_another,
    int t = threadIdx.x; N a, b, c; a.n = t; c = b = a; out[t] = a.n + 100 * b.n + 10000 * c.n)
//: out[t] == 1 + 2 * t + 100 * (2 + 2 * t)
ASSIGNMENTS(of_what_another_operator_gives_back,
    int t = threadIdx.x; N a, b, c; a.n = t; b.n = 1; c = (b += a); out[t] = b.n + 100 * c.n)
//: out[t] == t + 1 + 100 * 3
ASSIGNMENTS(in_the_middle_of_an_expression_and_of_a_loop,
    int t = threadIdx.x, r = 0; N a, b; a.n = t; r = (b = a).n; for (N i = a; i.n < t + 3; i = a, a.n++) r += 100;
    out[t] = r)

struct Pair { N one, two; __device__ Pair(const N &o) : one(o), two(o) {} };

//: out[t] == 111 * t
__global__ void first_values_are_no_assignments(int *out) {
    int t = threadIdx.x;
    N a; a.n = t; Pair p(a); N b = a; out[t] = p.one.n + 10 * p.two.n + 100 * b.n;
}
}

namespace an_operator_for_something_else_leaves_copies_alone {
struct N { int n; __device__ N &operator=(float x) { n = (int)x + 100; return *this; } };

//: out[t] == 2 * t + 102000
__global__ void an_operator_for_something_else_leaves_copies_alone(int *out) {
    int t = threadIdx.x;
    N a, b, c[2]; a.n = t; b = a; c[1] = b; a = 2.5f; out[t] = b.n + c[1].n + 1000 * a.n;
}
}

namespace of_members_that_have_their_own {
struct N {
        int n;
        __device__ N &operator=(const N &o) { n = o.n + 1; return *this; }
        __device__ N &operator+=(const N &o) { n += 2 * o.n; return *this; }
    };
    struct Inner { N n; }; struct Outer { int id; N one, two[2]; Inner in; };

//: out[t] == 5 + 10 * (4 * t + 4) + 10000 * t
__global__ void of_members_that_have_their_own(int *out) {
    int t = threadIdx.x;
    Outer a, b; a.id = 5; a.one.n = a.two[0].n = a.two[1].n = t; a.in.n.n = t; b = a; Outer c = a;
    out[t] = b.id + 10 * (b.one.n + b.two[0].n + b.two[1].n + b.in.n.n) + 10000 * c.one.n;
}
}

namespace volatile_case {
struct Distance {
        int index; float value;
        __device__ volatile Distance &operator=(volatile Distance &o) volatile {
            index = o.index; value = o.value; return *this;
        }
    };
    __shared__ Distance s[16];

//: out[t] == 101 * (t + 8)
__global__ void volatile_case(int *out) {
    int t = threadIdx.x;
    s[t].index = t; s[t].value = 2 * t; s[t + 8].index = t + 8; s[t + 8].value = 0;
    __syncthreads();
    volatile Distance *v = s; Distance least;
    least = v[t] = v[t + 8];
    out[t] = least.index + 100 * v[t].index;
}
}

//: out[t] == 7 + 100 * t
__global__ void values_of_two_types_change_places(int *out) {
    int t = threadIdx.x;
    int a = t; unsigned b = 7; thrust::swap(a, b); out[t] = a + 100 * b;
}
