// Templates of structs: specialisations, template template parameters, members defined outside of the struct.

// The specialisation that says most is taken.

namespace the_specialisation_that_says_most_is_taken {
template <typename T, int N> struct Kind { static constexpr int is = 1; };
template <typename T, int N> struct Kind<T *, N> { static constexpr int is = 20 + N; };
template <typename T> struct Kind<T *, 4> { static constexpr int is = 300; };
template <int N> struct Kind<float, N> { static constexpr int is = 4000 + N; };
template <> struct Kind<float, 4> { static constexpr int is = 50000; };
template <typename T, int N> struct Row { T v[N]; };
template <typename T, int N, int M> struct Kind<Row<T, N>, M> { static constexpr int is = 100 * N + M + sizeof(T); };

#define SPECIALISATION_SAYS(NAME, ...) \
    __global__ void NAME(int *out) { \
        int t = threadIdx.x; out[t] = __VA_ARGS__; \
    }
SPECIALISATION_SAYS(specialisation_says_most_1, Kind<int, 1>::is)  //: out[t] == 1
SPECIALISATION_SAYS(specialisation_says_most_2, Kind<double *, 3>::is)  //: out[t] == 23
SPECIALISATION_SAYS(specialisation_says_most_3, Kind<int **, 4>::is)  //: out[t] == 300
SPECIALISATION_SAYS(specialisation_says_most_4, Kind<float, 3>::is)  //: out[t] == 4003
SPECIALISATION_SAYS(specialisation_says_most_5, Kind<float, 4>::is)  //: out[t] == 50000
SPECIALISATION_SAYS(specialisation_says_most_6, Kind<Row<double, 5>, 7>::is)  //: out[t] == 515
}

// Two specialisations that say as much.

namespace two_specialisations_that_say_as_much {
template <typename T, typename U> struct P { static constexpr int is = 1; };
template <typename T> struct P<T, int> { static constexpr int is = 2; };
template <typename T> struct P<float, T> { static constexpr int is = 3; };

//: out[t] == 32
__global__ void two_specialisations_say_1(int *out) {
    int t = threadIdx.x;
    out[t] = P<int, int>::is + 10 * P<float, float>::is;
}

//: error: several specialisations of P fit
__global__ void two_specialisations_say_2(int *out) {
    int t = threadIdx.x;
    out[t] = P<float, int>::is;
}
}

// Templates.

namespace templates_of_templates {
template <typename T> struct Add { __device__ T operator()(T a, T b) const { return a + b; } };
template <typename T> struct Less { __device__ T operator()(T a, T b) const { return a < b ? a : b; } };
template <template <typename> class Op, typename T> __device__ T two(T a, T b) { return Op<T>()(a, b); }
template <template <class> typename Op, int N = 2> struct Twice {
    template <typename T> __device__ static T of(T a) { return Op<T>()(a, N * a); }
};
template <template <typename> class Op> __device__ int through(int a) { return two<Op>(a, 3); }

//: out[t] == 2 * t + 1 + min(t, 4) + 3 * t + min(t, 3)
__global__ void templates_of_templates(int *out) {
    int t = threadIdx.x;
    out[t] = two<Add, float>(t, 0.5f) * 2 + two<Less>(t, 4) + Twice<Add>::of(t) + through<Less>(t);
}
}

namespace functions_outside_of_their_template {
template <typename T, int N> struct Row {
        T v[N];
        __device__ Row(T first);
        __device__ T last(int by = 2) const;
        __device__ static int count();
        template <typename U> __device__ U as(int i);
    };
    template <typename T, int N> __device__ Row<T, N>::Row(T first) {
        for (int i = 0; i < N; ++i) v[i] = first + i;
    }
    template <typename T, int N> __device__ T Row<T, N>::last(int by) const { return by * v[N - 1]; }
    template <typename S, int M> __device__ int Row<S, M>::count() { return M; }
    template <> __device__ int Row<float, 3>::count() { return 1000; }
    template <typename T, int N> template <typename U> __device__ U Row<T, N>::as(int i) { return (U)v[i]; }

//: out[t] == 2 * t + 3 + t + 2 + t + 1 + 3 + 1000
__global__ void functions_outside_of_their_template(int *out) {
    int t = threadIdx.x;
    Row<float, 2> a(t + 0.5f); Row<int, 3> b(t);
    out[t] = a.last() + b.last(1) + a.as<int>(1) + b.count() + Row<float, 3>::count();
}
}

namespace full_specialisations {
template <typename T> __device__ T first();
template <> __device__ int2 first() { return make_int2(1, 2); }
template <> __device__ float first() { return 0.5f; }
struct Exp { template <typename T> __device__ static T of(const T &x) { return x; } };
template <> __device__ float Exp::of<float>(const float &x) { return 2 * x; }
template <typename T, int N> struct Row { T v[N]; };

//: out[t] == 2 + 1 + t + 3 + 4
__global__ void full_specialisations(int *out) {
    int t = threadIdx.x;
    using row = struct Row<int, 2>; row q = {{3, 4}};
    out[t] = first<int2>().y + first<float>() * 2 + Exp::of(t) + Exp::of(1.5f) + q.v[1];
}
}

namespace structs_inside_of_structs {
struct S {
        template <typename T> struct Cell { T x; };
        template <typename T> using List = Cell<T>[2];
        template <typename T> __device__ T of(Cell<T> c) { return c.x; }
    };
    template <int N> struct Tile {
        template <bool on> struct Column { int v[N]; __device__ Column() { v[0] = on; } };
        template <bool on> __device__ int first(const Column<on> &c) { return c.v[0] + N; }
        __device__ int both() { Column<true> a; Column<false> b; return first(a) * 10 + first(b); }
    };
    template <typename T> struct Box { struct In { T x; __device__ T get() { return x; } }; In in; };

//: out[t] == t + 5 + 4300
__global__ void structs_inside_of_structs(int *out) {
    int t = threadIdx.x;
    S::Cell<int> c{t}; S s; Box<float> b; b.in.x = 2.5f; Box<float>::In i = b.in;
    out[t] = s.of(c) + i.get() * 2 + 100 * Tile<3>().both();
}
}

namespace arguments_that_parameters_tell {
template <typename T, int N> struct Row { T v[N]; };
struct Wide : Row<int, 4> { int more; };
template <typename T, int N> __device__ T last(const Row<T, N> &row) { return row.v[N - 1]; }
template <typename T, int N> __device__ int length(T (&)[N]) { return N; }
template <typename T> __device__ int sort(T) { return 1; }
template <typename T> __device__ int sort(T *) { return 2; }
template <typename T, int N> __device__ int sort(Row<T, N>) { return 3; }

//: out[t] == 32165 + t
__global__ void arguments_that_parameters_tell(int *out) {
    int t = threadIdx.x;
    Row<int, 3> a = {{0, 0, t}}; Wide w; w.v[3] = 5; float f[6];
    out[t] = last(a) + last(w) + 10 * length(f) + 100 * sort(t) + 1000 * sort(f) + 10000 * sort(a);
}
}

// A type where a template is asked for.

namespace a_type_where_a_template_is_asked_for {
template <template <typename> class Op> struct Apply {}; struct Add {};
//        ^ error: Apply: template parameter Op is a struct template,

__global__ void a_type_where_a_template_is_asked_for(int *out) {
    int t = threadIdx.x, r = 0;
    Apply<Add> a;
    out[t] = r;
}
}

// Lengths of arrays that are more than a name.

template <typename T, int N, int PAD = 0>
__device__ T corner(T a[N][N + PAD], T b[2 * N], const T (&c)[N + 1]) { return a[N - 1][N - 1] + b[1] + c[N]; }

//: out[t] == 5 + 2 * t
__global__ void lengths_of_arrays_that_are_more_than_a_name(int *out) {
    int t = threadIdx.x;
    __shared__ int a[2][3];
    int b[4] = {0, t, 0, 0}, c[3] = {1, 2, t};
    if (!t) a[1][1] = 5;
    __syncthreads();
    out[t] = corner<int, 2, 1>(a, b, c);
}

// A specialisation for what nobody knows is left out.

template <typename T> struct Bits { static constexpr int are = 8 * sizeof(T); };
template <> struct Bits<std::complex<float>> { static constexpr int are = 1; };
template <typename T> struct Unknown<T *> { T x; };

//: out[t] == 16
__global__ void a_specialisation_for_what_nobody_knows_is_left_out(int *out) {
    int t = threadIdx.x;
    out[t] = Bits<short>::are;
}

// Templates that never end.

template <int N> __device__ int down() { return N + down<N - 1>(); }
//                                                  ^ error: calls nested deeper than 128 levels; a template may never end

__global__ void templates_that_never_end(int *out) {
    int t = threadIdx.x;
    out[t] = down<3>();
}

// Constants that specialisations alone give.

namespace constants_that_specialisations_alone_give {
template <typename T> constexpr unsigned bytes();
template <> constexpr unsigned bytes<float>() { return 4; }
template <> constexpr unsigned bytes<float2>() { return 8; }
template <typename T> constexpr int twice() { return 2 * sizeof(T); }
template <> constexpr int twice<double>() { return 5; }
template <unsigned N> __device__ int f() { return N; }
template <typename T> __device__ int all() {
    float part[bytes<T>()];
    return f<bytes<T>()>() + 10 * f<twice<short>()>() + 100 * f<twice<double>()>() + 1000 * sizeof(part);
}

//: out[t] == 32548 * t + 16544
__global__ void constants_that_specialisations_alone_give(int *out) {
    int t = threadIdx.x;
    out[t] = all<float>() + t * all<float2>();
}
}

// A struct may have a name for itself.

namespace a_struct_may_have_a_name_for_itself {
template <int N, typename T> struct Tile {
    using Self = Tile;
    using Full = Tile<N, T>;
    T value;
    __device__ Self plus(T more) const { Self made; made.value = value + more; return made; }
};
template <typename T> __device__ int next(typename T::Self tile) {
    typename T::Full other = tile.plus(2);
    return other.value;
}

//: out[t] == t + 1 + 100 * (t + 3)
__global__ void a_struct_may_have_a_name_for_itself(int *out) {
    int t = threadIdx.x;
    Tile<3, int>::Full x; x.value = t;
    Tile<3, int>::Self y = x.plus(1); out[t] = y.value + 100 * next<Tile<3, int>>(y);
}
}

// A static constant may be named by an object.

namespace a_static_constant_may_be_named_by_an_object {
template <typename T, int N> struct Span { T *at; static constexpr int columns = N; };
template <int N> __device__ int f() { return N; }

//: out[t] == 1606 + 3 * t
__global__ void a_static_constant_may_be_named_by_an_object(int *out) {
    int t = threadIdx.x;
    Span<float, 3> s{nullptr}; float a[s.columns + 1];
    out[t] = f<s.columns * 2>() + 100 * sizeof(a) + t * s.columns;
}
}

// A kernel takes a template by its name.

template <typename T> struct Sum { __device__ T operator()(T a, T b) const { return a + b; } };

//: template Op = Sum
//: out[t] == t + 5
//: or
//: template Op = Nothing
//: error: 'Nothing' is no struct template
template <template <typename> class Op, typename T = int>
__global__ void a_template_as_argument(T *out) {
    out[threadIdx.x] = Op<T>()(threadIdx.x, 5);
}
