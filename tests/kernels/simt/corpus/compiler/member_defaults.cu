// Default member initialisers, and types that only the host can use.

// Values of members are read in the names of their template.

template <int N, typename T> struct S {
    static constexpr int M = 2 * N;
    int n = N, m = M;
    T v = T(2.5f);
    T all[N] = {T(1)};
};
template <typename T> struct P { int a = 3, b = a + sizeof(T); __device__ P(int b_) { a = b_ + b; } };
struct D : S<3, int> { int z = n; __device__ D() {} };

//: out[t] == 10057 + 6 * t + (t + 11) + 3
__global__ void values_of_members_are_read_in_the_names_of_their_template(int *out) {
    int t = threadIdx.x;
    S<4, float> s; S<5, int> q{}; S<6, int> g{.v = t}; P<double> p(t); D d;
    out[t] = s.n + 10 * (int)(2 * s.v) + q.v + q.m * 1000 + q.all[0] + q.all[1] + g.n * g.v + p.a + d.z;
}

// A type that only the host can use is refused with the reason.

namespace type_only_host_1 {
using Row = std::vector<int>;

__global__ void type_only_host_1(int *out) {
    int t = threadIdx.x;
    Row row; out[t] = 1;
//  ^ error: not supported: type 'std::vector'; it is the host's: keep numbers and pointers
}
}

namespace type_only_host_2 {
struct Row { int n; std::vector<int> all; };

__global__ void type_only_host_2(int *out) {
    int t = threadIdx.x;
    Row row; out[t] = 1;
//  ^ error: not supported: type 'std::vector'; it is the host's: keep numbers and pointers
}
}

// Only constructors give members their first values.

namespace only_constructors_give_members_their_first_values {
struct Base { int seen = 1; __device__ Base() { seen = 2; } };
struct Row : Base {
    int at = 0, step = 1;
    __device__ Row(int first) { at = first; seen = 3; }
    __device__ void next() { at += step; }
    __device__ void twice();
};
__device__ void Row::twice() { next(); next(); }
template <typename T> class Cell {
    T *all; int index = 0;
public:
    __device__ Cell(T *all, int index_) : all(all) { index = index_; }
    __device__ void put(T value) { all[index] = value; }
};

//: out[t] == 53006 + 10 * t
__global__ void only_constructors_give_members_their_first_values(int *out) {
    int t = threadIdx.x;
    int kept[8] = {0};
    Row row(10 * t); row.step = 2; row.next(); row.twice();
    Cell<int> cell(kept, t); cell.put(5);
    out[t] = row.at + 1000 * row.seen + 10000 * kept[t];
}
}

// Members with constructors are made where nothing says how.

struct One { int v; __device__ One() : v(7) {} __device__ One(int x) : v(x) {} };
struct Plain { int v = 2; };
struct Left { int v; __device__ Left() {} };  // does nothing: v stays without a value
struct Both { One a[2]; Plain p; One one; int rest; };
template <typename T> struct Around { T inner; Both all[2]; int n; __device__ Around(int x) : n(x) {} };
struct Given { One one; Left left; __device__ Given(int x) : one(x) { left.v = x; } };

//: out[t] == 23 + 1000 + 140000 + 3 * t
__global__ void members_with_constructors_are_made_where_nothing_says_how(int *out) {
    int t = threadIdx.x, r = 0;
    Both b; Both listed{{One(1)}}; Around<Both> around(t); Given given(t);
        r = b.a[0].v + b.a[1].v + b.p.v + b.one.v;                     // 23
        r += 100 * (listed.a[0].v + listed.a[1].v + listed.p.v);       // 1 + 7 + 2
        r += 10000 * (around.inner.one.v + around.all[1].a[1].v);      // 14
        r += given.one.v + given.left.v + around.n;
    out[t] = r;
}
