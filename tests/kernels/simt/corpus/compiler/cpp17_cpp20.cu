// C++17 and C++20 in kernels: constexpr if, initialisers in conditions, designators, attributes, host types.

// Modern c.

template <int N> struct Tile { using Next = Tile<N + 1>; static constexpr int n = N; int v; };

//: out[t] == 7
__global__ void modern_c_1(int *out) {
    int t = threadIdx.x; Tile<1>::Next a{2}; using T = Tile<1>::Next; T::Next c{2};
    out[t] = a.v + c.v + Tile<1>::Next::Next::n;
}

template <int N> struct Sum { typedef Sum<N - 1> Less; static constexpr int value = N + Less::value; };
template <> struct Sum<0> { static constexpr int value = 0; };

//: out[t] == 10
__global__ void modern_c_2(int *out) {
    int t = threadIdx.x; out[t] = Sum<4>::value;
}

template <typename T> struct V { template <typename U> using rebind = V<U>; T x; };

//: out[t] == 3
__global__ void modern_c_3(int *out) {
    int t = threadIdx.x; V<float>::rebind<int> a{3}; out[t] = a.x;
}

template <typename T> __device__ T twice(T x) { return x + x; }

//: out[t] == 43
__global__ void modern_c_4(int *out) {
    int t = threadIdx.x; auto x = twice(21); decltype(x) y = x; decltype(twice(1.5f)) z = 0.5f;
    out[t] = y + (z > 0.4f);
}

template <typename T> struct Box { T v; };
template <typename T> __device__ auto box(T v) { Box<T> made{v}; return made; }

//: out[t] == 7
__global__ void modern_c_5(int *out) {
    int t = threadIdx.x; auto b = box(7); decltype(b) c = b; decltype(c.v) d = c.v; out[t] = d;
}

template <typename A, typename B> struct Two { A first; B second; };
template <typename A, typename B> __device__ Two<A, B> two(A a, B b) { return {a, b}; }

//: out[t] == 4
__global__ void modern_c_6(int *out) {
    int t = threadIdx.x; auto [x, y] = two(3, 4.5f); out[t] = x + (y > 4.4f);
}

template <typename F> __device__ auto call(F f, int x) -> decltype(f(x)) { return f(x); }

//: out[t] == 5
__global__ void modern_c_7(int *out) {
    int t = threadIdx.x; out[t] = call([] (int x) { return x + 1; }, 4);
}

__device__ int first(const auto *p) { return p[0]; }
__device__ int first(float *p) { return 99; }__device__ void put(auto &x, auto v) { x = v; }

//: out[t] == 110
__global__ void modern_c_8(int *out) {
    int t = threadIdx.x; int a[2] = {5, 6}; float f[1] = {1}; int x; put(x, a[1]); out[t] = first(a) + first(f) + x;
}

template <typename T> concept Number = std::is_arithmetic_v<T>;
__device__ auto halved(Number auto x) { return x / 2; }__device__ int one(std::integral auto x) { return x; }

//: out[t] == 4
__global__ void modern_c_9(int *out) {
    int t = threadIdx.x; out[t] = halved(5) + (halved(5.0f) > 2.4f) + one(1);
}

namespace modern_c_10 {
struct P { int x, y; };
struct Q { int n; __device__ int add(P p) const { return n + p.x + p.y; } };

//: out[t] == 7
__global__ void modern_c_10(int *out) {
    int t = threadIdx.x; Q q{1}; out[t] = q.add({2, 4});
}
}

union U { int i; float f; };

//: out[t] == 16
__global__ void modern_c_11(int *out) {
    int t = threadIdx.x; U u{5}, v = {.i = 6}; U w = u; out[t] = u.i + v.i + w.i;
}

//: out[t] == 0x3F800000
__global__ void modern_c_12(int *out) {
    int t = threadIdx.x; U u = {.f = 1.0f}; out[t] = u.i;
}

namespace modern_c_13 {
template <typename T> __device__ int f(T a) { return 1; }template <typename T> __device__ int f(T *a) { return 2; }template <typename T> __device__ int f(T **a) { return 3; }

//: out[t] == 321
__global__ void modern_c_13(int *out) {
    int t = threadIdx.x; int *p = out; out[t] = f(1.0f) + 10 * f(out) + 100 * f(&p);
}
}

namespace modern_c_14 {
template <typename T> __device__ int f(T *a) { return 2; }template <typename T> __device__ int f(const T *a) { return 3; }

//: out[t] == 23
__global__ void modern_c_14(int *out) {
    int t = threadIdx.x; const int *p = out; out[t] = f(p) + 10 * f(out);
}
}

__device__ unsigned sum(uint3 d) { return d.x + d.y + d.z; }

//: out[t] == 11463
__global__ void modern_c_15(int *out) {
    int t = threadIdx.x; dim3 none, one(4), braces{2}, block = blockDim, thread = threadIdx; uint3 back = one;
    out[t] = sum(none) + 10 * sum(one) + 100 * sum(braces) + 1000 * block.y + thread.z + 10000 * back.y;
}

namespace modern_c_16 {
struct S { int v; __device__ int get() & { return v + 2; } __device__ int get() const & { return v; }__device__ int get() && { return v + 1; } };

//: out[t] == 645
__global__ void modern_c_16(int *out) {
    int t = threadIdx.x; S s{3}; const S c{4}; out[t] = s.get() + 10 * c.get() + 100 * S{5}.get();
}
}

namespace modern_c_17 {
struct S { int v; __device__ int get() && { return v + 1; } };

//: out[t] == 4
__global__ void modern_c_17(int *out) {
    int t = threadIdx.x; S s{3}; out[t] = std::move(s).get();
}
}

struct C { int a, b; }; constexpr C cfg{3, 4}; constexpr int T[2] = {1, 2};
constexpr int N = cfg.a + cfg.b, M = T[1];

//: out[t] == 9
__global__ void modern_c_18(int *out) {
    int t = threadIdx.x; int a[N]; a[6] = M; out[t] = N + a[6];
}

namespace modern_c_19 {
struct P { int x, y; };

//: out[t] == 1
__global__ void modern_c_19(int *out) {
    int t = threadIdx.x; switch (int a = 3; a) { case 3: out[t] = 1; break; default: out[t] = 2; }
}
}

//: out[t] == 4
__global__ void modern_c_20(int *out) {
    int t = threadIdx.x; switch (auto a = 2 + 2) { case 4: out[t] = a; }
}

enum class Mode { Add, Mul = 4 };
__device__ int run(Mode m) {using enum Mode; switch (m) { case Add: return 1; case Mul: return 2; } return 3; }

//: out[t] == 12
__global__ void modern_c_21(int *out) {
    int t = threadIdx.x; out[t] = run(Mode::Mul) + 10 * run(Mode::Add);
}

//: out[t] == 4
__global__ void modern_c_22(int *out) {
    int t = threadIdx.x; out[t] = std::clamp(7, 1, 3) + (cuda::std::bit_cast<int>(1.0f) == 0x3f800000);
}

__device__ int total(cuda::std::span<const int> s) { int n = 0; for (int x : s) n += x; return n; }

//: out[t] == 12
__global__ void modern_c_23(int *out) {
    int t = threadIdx.x; int a[3] = {1, 2, 3}; cuda::std::span<const int> s(a, 3);
    out[t] = total(s) + s.last(1)[0] + s.size();
}

// An array without a length ends a struct.

namespace an_array_without_a_length_ends_a_struct {
struct Header { int n; int data[]; };

//: out[t] == 4 + t
__global__ void array_without_length_1(int *out) {
    __shared__ int bytes[9];
    Header *h = reinterpret_cast<Header *>(bytes);
    h->data[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = h->data[threadIdx.x] + sizeof(Header);
}

//: <<<1, 9>>>
//: out == [4, 5, 6, 7, 8, 9, 10, 11, -842150447]
//: out-of-bounds in bytes
__global__ void array_without_length_2(int *out) {
    __shared__ int bytes[9];
    Header *h = reinterpret_cast<Header *>(bytes);
    h->data[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = h->data[threadIdx.x] + sizeof(Header);
}
}

namespace an_array_without_a_length_ends_a_struct_2 {
struct Header { int n; int data[0]; };

//: out[t] == 4 + t
__global__ void array_without_length_3(int *out) {
    __shared__ int bytes[9];
    Header *h = reinterpret_cast<Header *>(bytes);
    h->data[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = h->data[threadIdx.x] + sizeof(Header);
}

//: <<<1, 9>>>
//: out == [4, 5, 6, 7, 8, 9, 10, 11, -842150447]
//: out-of-bounds in bytes
__global__ void array_without_length_4(int *out) {
    __shared__ int bytes[9];
    Header *h = reinterpret_cast<Header *>(bytes);
    h->data[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = h->data[threadIdx.x] + sizeof(Header);
}
}

// Unsupported constructs are refused with an alternative.
//: out = zeros(8)
__global__ void unsupported_constructs_refused_1(int *out) {
    int t = threadIdx.x; auto f = []<typename T>(T x) { return x; };
//                                  ^ error: template lambda; write auto: [](auto x)
}

namespace unsupported_constructs_refused_2 {
enum class M { A };
__device__ int f(int) { return 1; }
__device__ int f(M) { return 2; }

//: out = zeros(8)
__global__ void unsupported_constructs_refused_2(int *out) {
    int t = threadIdx.x; out[t] = f(M::A);
//                                ^ error: not supported: second function
}
}

namespace unsupported_constructs_refused_3 {
struct P { int x, y; };

//: out = zeros(8)
__global__ void unsupported_constructs_refused_3(int *out) {
    int t = threadIdx.x; int P::*m = &P::y;
//                           ^ error: pointer to a member; pass an index and use a switch
}
}

struct D { int a = 1; int b = a + 1; };
//                            ^ error: a default member value that names other members; write a constructor

//: out = zeros(8)
__global__ void unsupported_constructs_refused_4(int *out) {
    int t = threadIdx.x; D d{}; out[t] = d.b;
}

struct A { int data[]; int n; };

//: out = zeros(8)
__global__ void unsupported_constructs_refused_5(int *out) {
    int t = threadIdx.x; A a; out[t] = a.n;
//                       ^ error: this array needs a length between [ and ]
}
