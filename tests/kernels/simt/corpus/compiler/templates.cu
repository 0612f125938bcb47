// Templates of functions, structs and aliases: deduction, defaults, members, template arguments of kernels.

// Names for types with parameters.

template <typename T> using out_ptr = T *__restrict__;
template <typename T> using in_ptr = const T *__restrict__;
template <typename T, int N> using row = T[N];
template <typename T> __device__ void add(out_ptr<T> to, in_ptr<T> from) { *to += *from; }

//: template N = 2
//: a = ones(8, "f4")
//: b = arange(8, dtype="f4")
//: a[t] == t + 3
template <int N> __global__ void names_for_types_with_parameters(out_ptr<float> a, in_ptr<float> b) {
    row<float, N> kept = {1, 2};
    add(a + threadIdx.x, b + threadIdx.x);
    a[threadIdx.x] += kept[1];
}

// Shifts after a template parameter with a value.

template <const int WIDTH = 32> __device__ int steps() {
    int count = 0;
    for (int offset = WIDTH >> 1; offset > 0; offset >>= 1) ++count;
    return count;
}

//: a[t] == 35
__global__ void shifts_after_a_template_parameter_with_a_value(int *a) {
    a[threadIdx.x] = 10 * steps<8>() + steps();
}

// Deduced return types.

namespace deduced_return_types {
template <typename T> __device__ T next(T i);
template <> __device__ float next(float x) { return x * 2; }
template <> __device__ int next<int>(int x) { return x + 100; }
struct Part { float a, b; };
__device__ Part join(Part x, const Part &y) { return {x.a + y.a, x.b * y.b}; }
__device__ auto half_of(int n) { return n / 2.0; }
__device__ auto from(const float *p, int i) { if (i > 2) return p + i; return p; }
__device__ auto nothing(int n) { if (n > 2) return; }

//: out[t] == 110 + 2.5 * t + (t if t > 2 else 0)
__global__ void deduced_return_types(float *out) {
    int t = threadIdx.x;
    __shared__ float s[8];
    s[t] = t;
    __syncthreads();
    nothing(t);
    Part part = join(Part{1, 2}, {(float)t, 3.0f});
    out[t] = next(1.5f) + next(t) + part.a + part.b + half_of(t) + *from(s, t);
}
}

// A template that is only declared.

namespace a_template_that_is_only_declared {
template <typename T> __device__ T next(T i);
template <> __device__ float next(float x) { return x * 2; }

//: out = zeros(1)
//: error: <int> is declared and not defined: define it in this file
__global__ void a_template_that_is_only_declared(int *out) {
    out[0] = next(1);
}
}

// A kernel takes a struct that can be called as its template argument.

struct Add { __device__ int operator()(int a, int b) const { return a + b; } };
struct Larger { __device__ int operator()(int a, int b) const { return a > b ? a : b; } };

#define KERNEL_TAKES(NAME, ...) \
    template <typename Op> __global__ void NAME(int *out) { \
        out[threadIdx.x] = __VA_ARGS__; \
    }
//: template Op = Add
//: out[t] == t + 3
KERNEL_TAKES(kernel_takes_struct_1, Op()(threadIdx.x, 3))
//: template Op = Larger
//: out[t] == max(t, 3)
KERNEL_TAKES(kernel_takes_struct_2, Op()(threadIdx.x, 3))
//: error: 'Less' is not a type
KERNEL_TAKES(kernel_takes_struct_3, Op()(threadIdx.x, 3))  //: template Op = Less

// A kernel takes any type that its file names.

template <typename T> struct Adds { T by; };
struct Twice { int by; };
typedef Adds<unsigned> Words;
using real = double;

//: <<<1, 1>>>
#define KERNEL_TAKES_2(NAME, ...) \
    template <typename T> __global__ void NAME(int *out) { \
        out[0] = __VA_ARGS__; \
    }
//: template T = Twice
//: out[t] == 4
KERNEL_TAKES_2(kernel_takes_any_1, sizeof(T))
//: template T = Words
//: out[t] == 4
KERNEL_TAKES_2(kernel_takes_any_2, sizeof(T))
//: template T = Adds<unsigned int>
//: out[t] == 4
KERNEL_TAKES_2(kernel_takes_any_3, sizeof(T))
//: template T = struct Twice
//: out[t] == 4
KERNEL_TAKES_2(kernel_takes_any_4, sizeof(T))
//: template T = real
//: out[t] == 8
KERNEL_TAKES_2(kernel_takes_any_5, sizeof(T))
//: template T = float *
//: out[t] == 8
KERNEL_TAKES_2(kernel_takes_any_6, sizeof(T))
//: template T = const Twice*
//: out[t] == 8
KERNEL_TAKES_2(kernel_takes_any_7, sizeof(T))
//: template T = char **
//: out[t] == 8
KERNEL_TAKES_2(kernel_takes_any_8, sizeof(T))

// Lengths that are sums of parameters are not deduced.

template <typename T, size_t X, size_t Y, size_t K, size_t MORE = 0U>
__device__ void load(const T *from, T a[Y][K + MORE], T b[K][X + MORE]) {
    a[Y - 1][K - 1] = from[0];
    b[K - 1][X - 1] = from[1];
}

//: <<<1, 1>>>
//: in = [2, 3]
//: out[t] == 32
__global__ void lengths_that_are_sums_of_parameters_are_not_deduced(const float *in, float *out) {
    __shared__ float a[3][4], b[4][5];
    load<float, 5, 3, 4>(in, a, b);
    out[0] = a[2][3] + 10 * b[3][4];
}

// Names are given to instances before their template is defined.

template <class T> struct Vector;
using Double = Vector<double>;
typedef Vector<int> Int;
struct Holder { Double *first; int n; };
template <class T> struct Vector {
    T x;
    __device__ Vector(T x) : x(x) {}
    __device__ Vector operator+(const Vector &other) const { return x + other.x; }
};
struct Pair { Double first; Int second; };

//: <<<1, 1>>>
//: out = unwritten(2)
//: out == [8, 28]
__global__ void names_are_given_to_instances_before_their_template_is_defined(int *out) {
    Double d(2.5);
    Holder h = {&d, 3};
    Pair p = {d + d, Int(7)};
    out[0] = h.first->x * 2 + h.n;
    out[1] = p.first.x + p.second.x + sizeof(Pair);
}

// Pointers to const in templates.

template <typename T> __device__ int which(T *a) { return 1; }
template <typename T> __device__ int which(const T *a) { return 2; }
template <typename T> __device__ T &at(T *a, int i) { return a[i]; }
template <typename T> __device__ T sum(T *a, int n) {
    T s = 0, *end = a + n;
    for (T *p = a; p < end; ++p) s += *p;
    return s;
}
template <typename T> __device__ T twice(T *a) { return sum(a, 3) + sum<T>(a, 3); }

//: in = arange(8)
//: out[t] == t + 600 + 2000 + 10000
__global__ void pointers_to_const_in_templates(const float *in, float *out) {
    at(out, threadIdx.x) = at(in, threadIdx.x) + 100 * twice(in) + 1000 * which(in) + 10000 * which(out);
}

// Explicit arguments are not made const.

template <typename T> __device__ void put(T *a) { *a = 1; }

//: in = zeros(8)
__global__ void explicit_arguments_are_not_made_const(const float *in) {
    put<float>(in);
//  ^ error: no function 'put' takes (const float *)
}

// Defaults that depend on other arguments.

template <typename T> struct Size { static constexpr int n = sizeof(T); };
template <typename T, class S = Size<T>> __device__ int size(T x) { return S::n; }
template <typename T, typename = std::enable_if_t<std::is_integral<T>::value>> __device__ int kind(T) { return 1; }
template <typename T, typename = std::enable_if_t<!std::is_integral<T>::value>, int = 0>
__device__ int kind(T) { return 2; }

//: <<<1, 4>>>
//: template F = float
//: x = arange(4, dtype="f4")
//: out == [428, 21, 21, 21]
template <typename F, class S = Size<F>>
__global__ void defaults_that_depend_on_other_arguments(int *out, const F *x) {
    if (not x[threadIdx.x]) out[threadIdx.x] = size(1.0) + 10 * size<short>(1) + 100 * S::n;
    else out[threadIdx.x] = kind(1) + 10 * kind(1.0f);
}
