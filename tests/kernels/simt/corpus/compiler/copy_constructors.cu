// Copy constructors: initialisation, arguments, returned values and lists.

// Copies are made by copy constructors.

namespace copies_are_made_by_copy_constructors_2 {
struct S {
        int x, copies;
        __device__ S(int v) : x(v), copies(0) {}
        __device__ S(const S &o) : x(o.x), copies(o.copies + 1) {}
        __device__ S &operator=(const S &o) { x = o.x; copies = o.copies + 100; return *this; }
    };
    struct P { int x, y; __device__ P() {} __device__ P(const P &o) : x(o.x), y(o.y) {} };
    __device__ int by_value(S s) { return s.x; }
    __device__ int plain(P p) { return p.x; }

//: out[t] == t + 10 + 200 + 3000 + 1030000 + 5 + 2
__global__ void copies_are_made_by_copy_constructors(int *out) {
    int t = threadIdx.x;
    S a(t), b = a, c(b), d(7); auto e = c; d = e;
    P p; p.x = 5; p.y = 6; P q = p;
    out[t] = e.x + 10 * b.copies + 100 * c.copies + 1000 * e.copies + 10000 * d.copies + plain(q) + by_value(S(2));
}

// A copy constructor for an argument is refused.
__global__ void a_copy_constructor_for_an_argument_is_refused(int *out) {
    int t = threadIdx.x;
    S a(t); out[t] = by_value(a);
//                   ^ error: an argument that the copy constructor of S makes; take a const reference
}
}

// Copies in returns and lists.

namespace copies_in_returns_and_lists {
struct V {
        int x;
        __device__ V(int x = 0) : x(x) {}
        __device__ V(const V &o) : x(o.x + 1) {}
    };
    struct Stack {
        V items[4]; int n;
        __device__ V pop() { return items[--n]; }
        __device__ V made() { V v(5); return v; }
    };
    __device__ V same(const V &v) { return v; }

//: out[t] == 7 + 100 * (t + 1) + 10000 * (t + 1) + 5000000 + 10000000 * (t + 1)
__global__ void copies_in_returns_and_lists(int *out) {
    int t = threadIdx.x;
    V a(t), listed[2] = {V(7), a}; Stack s; s.n = 1; s.items[0] = a;
    out[t] = listed[0].x + 100 * listed[1].x + 10000 * s.pop().x + 1000000 * s.made().x + 10000000 * same(a).x;
}
}

// Parentheses copy a struct that has constructors.

struct Part {
    int a;
    __device__ Part(int x) : a(x) {}
    __device__ Part(int x, int y) : a(x + y) {}
    __device__ Part twice() { return Part(a, a); }
    __device__ Part self() { return Part(*this); }
};
struct Whole {
    Part part;
    __device__ Whole(int x) : part(x) {}
    __device__ Whole(const Part &p) : part(p) {}
};

//: out[t] == 2 * t
__global__ void parentheses_copy_a_struct_that_has_constructors(int *out) {
    int t = threadIdx.x;
    Part s(t); Part u(s); Part v = Part(u); Part w{v}; Part q(w.twice());
    Whole whole(q); Part z(whole.part); Whole y(z.self());
    out[t] = y.part.a;
}
