// Templates with parameter packs.

// Packs.

namespace recursion {
template <typename T> __device__ T sum(T x) { return x; }
template <typename T, typename... Rest> __device__ T sum(T x, Rest... rest) { return x + sum(rest...); }
template <typename... T> __device__ int count(T &&...all) { return sizeof...(T) + 10 * sizeof...(all); }
template <typename T, typename... Rest> __device__ T last(T x, const Rest &...rest) {
    if constexpr (sizeof...(rest) > 0) return last(rest...); else return x;
}

//: out[t] == t + 6 + 3300 + 10000 * t
__global__ void recursion(int *out) {
    int t = threadIdx.x;
    out[t] = sum(t, 1, 2, 3) + 100 * count() + 100 * count(1, t, 2.f) + 10000 * last(1, 2, t);
}
}

template <typename... T> __device__ int left(T... x) { return (... - x); }
template <typename... T> __device__ int right(T... x) { return (x - ...); }
template <typename... T> __device__ int from(T... x) { return (100 - ... - (2 * x)); }
template <typename... T> __device__ bool all(T... x) { return (... && (x > 0)); }
template <typename... T> __device__ void add(int &to, T... x) { ((to += x), ...); }

//: out[t] == t - 3 + 10 * (t + 1) + 98 - 2 * t + 1000 * (t > 0) + 10000 + 5 + t
__global__ void folds(int *out) {
    int t = threadIdx.x, r = 0;
    r = left(t, 1, 2) + 10 * right(t, 1, 2) + from(1, t) + 1000 * all(1, t) + 10000 * all(); add(r, 5, t);
    out[t] = r;
}

namespace of_structs {
template <int... N> struct Sizes { static constexpr int count = sizeof...(N), all = (N + ... + 0); };
template <int N, int... Rest> struct Product { static constexpr int is = N * Product<Rest...>::is; };
template <int N> struct Product<N> { static constexpr int is = N; };
template <typename... T> struct List {};
template <typename L> struct Bytes;
template <typename... T> struct Bytes<List<T...>> { static constexpr int are = (sizeof(T) + ... + 0); };
template <typename... T> __device__ int several(List<T...>) { return sizeof...(T); }

//: out[t] == 3 + 90 + 24000 + 1200000 + 2
__global__ void of_structs(int *out) {
    int t = threadIdx.x;
    out[t] = Sizes<1, 2, 3>::count + Sizes<>::all + 10 * Sizes<4, 5>::all + 1000 * Product<2, 3, 4>::is + 100000 * Bytes<List<int, double>>::are + several(List<int, float>());
}
}

namespace handed_on {
template <typename F, typename... A> __device__ auto call(F f, A &&...a) { return f(a...); }
struct Add { __device__ int operator()(int a, int b) const { return a + b; } };
template <typename F, typename... A> __device__ void each(F &&f, A... a) { int all[] = {(f(a), 0)...}; }
template <typename T, typename... A> __device__ T made(A... a) { return T{a * 2 ...}; }
struct P { int x, y; };

//: out[t] == t + 30 + t + 2 + 5 + 200 * t + 6
__global__ void handed_on(int *out) {
    int t = threadIdx.x, r = 0;
    each([&](int x) { r += x; }, t, 10, 20); r += call(Add(), t, 2) + call([](auto x) { return x; }, 5);
    P p = made<P>(t, 3); r += 100 * p.x + p.y;
    out[t] = r;
}
}

// Packs that are refused.

namespace packs_refused_1 {
__device__ int f(int x) { return x; }
template <typename A, typename... T> struct G {
    template <typename... U> __device__ static int of(A, T... x, U... y) { return f(x); }
//                                                                                  ^ error: a parameter pack that is not expanded: write ... after it
};

__global__ void packs_refused_1(int *out) {
    int t = threadIdx.x;
    out[t] = G<int>::of(1, 2);
}
}

namespace packs_refused_2 {
__device__ int f(int x) { return x; }
template <typename A, typename... T> struct G {
    template <typename... U> __device__ static int of(A, T... x, U... y) { return f(1 ...); }
//                                                                                  ^ error: ... after a pattern that names no parameter pack
};

__global__ void packs_refused_2(int *out) {
    int t = threadIdx.x;
    out[t] = G<int>::of(1, 2);
}
}

namespace packs_refused_3 {
__device__ int f(int x) { return x; }
template <typename A, typename... T> struct G {
    template <typename... U> __device__ static int of(A, T... x, U... y) { return (x + ...); }
//                                                                                ^ error: a fold with + over no elements has no value
};

__global__ void packs_refused_3(int *out) {
    int t = threadIdx.x;
    out[t] = G<int>::of(1, 2);
}
}

namespace packs_refused_4 {
__device__ int f(int x) { return x; }
template <typename A, typename... T> struct G {
    template <typename... U> __device__ static int of(A, T... x, U... y) { return f((x + y)...); }
//                                                                                  ^ error: parameter packs of 0 and 1 elements in one expansion
};

__global__ void packs_refused_4(int *out) {
    int t = threadIdx.x;
    out[t] = G<int>::of(1, 2);
}
}

// A kernel with a pack takes its parameters from the command line.
//: out[t] == 0
template <typename... T>
__global__ void a_kernel_with_a_pack_takes_its_parameters_from_the_command_line(int *out, T... x) {
    out[threadIdx.x] = (x + ... + 0);
}

// Packs of values and of types together.

namespace packs_of_values_and_of_types_together {
template <typename T, unsigned... Dims> class View {
    T *data;
    template <unsigned First, unsigned... Rest> __device__ static constexpr unsigned product() {
        if constexpr (sizeof...(Rest) > 0) { return First * product<Rest...>(); } else { return First; }
    }
    template <int N, unsigned First, unsigned... Rest, typename... Indices>
    __device__ unsigned place(unsigned first, Indices... rest) const {
        if constexpr (N > 0) { return first * product<Rest...>() + place<N - 1, Rest...>(rest...); }
        else { return first; }
    }
public:
    __device__ View(T *data) : data(data) {}
    template <typename... Indices> __device__ T &operator()(Indices... indices) {
        static_assert(sizeof...(Indices) == sizeof...(Dims) && "one index for each dimension");
        return data[place<sizeof...(Dims) - 1, Dims...>(indices...)];
    }
};

//: out[t] == 70 + t
__global__ void packs_of_values_and_of_types_together(int *out) {
    int t = threadIdx.x;
    int all[8]; View<int, 2, 4> two(all); View<int, 2, 2, 2> three(all);
    for (int i = 0; i < 2; ++i) for (int j = 0; j < 4; ++j) two(i, j) = 4 * i + j;
    out[t] = three(t / 4, t / 2 % 2, t % 2) + 10 * two(1, 3);
}
}
