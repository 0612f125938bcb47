// Declarations of structs: defaulted constructors, temporaries, mutual pointers, incomplete and nested structs.

// A defaulted constructor leaves members uninitialised.

namespace a_defaulted_constructor_leaves_members_uninitialised {
struct S { int x; S() = default; __device__ S(int v) : x(v) {} };

//: out = zeros(8)
//: uninitialised-read
__global__ void a_defaulted_constructor_leaves_members_uninitialised(int *out) {
    S s; out[threadIdx.x] = s.x + S(1).x + S().x;
}
}

// Member functions of temporaries.

struct Complex {
    float re, im;
    __device__ Complex(float re, float im) : re(re), im(im) {}
    __device__ float norm() { return re * re + im * im; }
    __device__ Complex operator+(const Complex &other) { return Complex(re + other.re, im + other.im); }
    __device__ Complex operator*(const Complex &o) { return Complex(re * o.re - im * o.im, re * o.im + im * o.re); }
};

//: a == [2, 10, 50, 170, 442, 962, 1850, 3250]
__global__ void member_functions_of_temporaries(float *a) {
    Complex z(threadIdx.x, 1);
    a[threadIdx.x] = (z * z + z).norm();
}

// Structs that point to each other.

namespace structs_that_point_to_each_other {
struct Tree;
struct Node { int key; Node *next; Tree *tree; };
__device__ int first(const Tree *tree);
struct Tree { Node *head; int n[2]; Node *list[2]; };
__device__ int first(const Tree *tree) { return tree->head->key; }
__device__ int sum(const Node *n) { int s = 0; while (n) { s += n->key; n = n->next; } return s; }

//: out[t] == sum(range(t + 1)) + (t - 1 if t else 100) + 7 + 2 + 5 + 1 + 5
__global__ void structs_that_point_to_each_other(int *out) {
    __shared__ Node pool[8];
    __shared__ Tree trees[1];
    int t = threadIdx.x;
    pool[t].key = t;
    pool[t].next = t ? &pool[t - 1] : nullptr;
    pool[t].tree = trees;
    if (t == 0) { trees[0].head = pool + 7; trees[0].n[1] = 5; trees[0].list[1] = &pool[3]; }
    __syncthreads();
    Node *p = pool[t].next, mine = {9, p, trees};
    Node *q = &mine;
    q = q->next;
    out[t] = sum(pool + t) + (p ? p->key : 100) + first(mine.tree) + trees->list[1]->next->key;
    out[t] += mine.tree->n[1] + (q == p) + (pool[7].next->next - pool);
}
}

// An incomplete struct is refused where it is used.

namespace an_incomplete_struct_is_refused_where_it_is_used {
struct S;

//: s = zeros(8, "i4")
__global__ void an_incomplete_struct_is_refused_where_it_is_used(S *s) {
//                                                               ^ error: is declared and not defined: define it in this file
    s->x = 1;
}
}

// Nested structs of the same name are distinct.

namespace nested_structs_of_the_same_name_are_distinct {
struct A {
    struct Step { int v; __device__ int next() const { return v + 1; } };
    struct Node { int v; Node *next; };
};
struct B { struct Step { int v; __device__ int next() const { return v + 2; } }; };
template <typename T> struct Range {
    struct Step {
        T v;
        __device__ Step(T begin) : v(begin) {}
        __device__ int next() const { return int(v * size); }
        static const int size = 2 * sizeof(T);
    };
    __device__ Step begin() const { return {T(2.5)}; }
};

//: <<<1, 1>>>
//: out = unwritten(6)
//: out == [11, 12, 16, 40, 2, 7]
__global__ void nested_structs_of_the_same_name_are_distinct(int *out) {
    A::Step a{10}; B::Step b{10}; A::Node last{7, nullptr}, first{0, &last};
    out[0] = a.next(); out[1] = b.next(); out[2] = Range<int>().begin().next();
    out[3] = Range<double>().begin().next(); out[4] = Range<char>::Step::size; out[5] = first.next->v;
}
}
