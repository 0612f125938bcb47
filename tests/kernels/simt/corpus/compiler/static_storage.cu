// Variables with static storage: `static` and `__device__` variables inside of functions.

// All threads share a static variable.

namespace threads_share_static_1 {
__device__ int next() { static int n; return atomicAdd(&n, 1); }

//: next_n[t] == 8
//: out[t] == t
__global__ void threads_share_static_1(int *out) {
    out[threadIdx.x] = next();
}
}

namespace threads_share_static_2 {
__device__ int next() { static int n = 5; return atomicAdd(&n, 1); }

//: threads_share_static_2_next_n[t] == 13
//: out[t] == t + 5
__global__ void threads_share_static_2(int *out) {
    out[threadIdx.x] = next();
}
}

namespace threads_share_static_3 {
__device__ int next() { static auto n = 5; return atomicAdd(&n, 1); }

//: threads_share_static_3_next_n[t] == 13
//: out[t] == t + 5
__global__ void threads_share_static_3(int *out) {
    out[threadIdx.x] = next();
}
}

namespace threads_share_static_4 {
__device__ int next() { static __device__ int n; return atomicAdd(&n, 1); }

//: threads_share_static_4_next_n[t] == 8
//: out[t] == t
__global__ void threads_share_static_4(int *out) {
    out[threadIdx.x] = next();
}
}

namespace threads_share_static_5 {
__device__ int next() { __device__ static int n = 7; return atomicAdd(&n, 1); }

//: threads_share_static_5_next_n[t] == 15
//: out[t] == t + 7
__global__ void threads_share_static_5(int *out) {
    out[threadIdx.x] = next();
}
}

// Each instance of a template has a static variable of its own.

namespace each_instance_of_a_template_has_a_static_variable_of_its_own {
__device__ int n = 100;
template <int N> __device__ int next() { static int n = N; return atomicAdd(&n, N); }
struct Counter { __device__ int next() { static int n; return atomicAdd(&n, 1); } };

//: <<<1, 3>>>
//: out[t] == (1 + t) * 1000000 + (2 + 2 * t) * 10000 + t * 1000 + 150
__global__ void each_instance_of_a_template_has_a_static_variable_of_its_own(int *out) {
    Counter c;
    int one = next<1>(), two = next<2>();
    auto lambda = [] { static int n = 50; return atomicAdd(&n, 0); };
    out[threadIdx.x] = one * 1000000 + two * 10000 + c.next() * 1000 + lambda() + n;
}
}

// A struct keeps static variables of the device.

namespace a_struct_keeps_static_variables_of_the_device {
struct S { static __device__ int n; static inline __device__ int m = 3; static __constant__ float w[2]; };
__device__ int S::n = 5;
__constant__ float S::w[2] = {1, 2};

//: out[t] == 10 + t
__global__ void a_struct_keeps_static_variables_of_the_device(int *out) {
    S s; out[threadIdx.x] = atomicAdd(&S::n, 1) + s.m + S::w[1];
}
}

// Constexpr functions with loops and recursion fill an array.

namespace constexpr_functions_loops_1 {
constexpr int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
constexpr int sum(int n) { int s = 0; for (int i = 1; i <= n; ++i) s += i; return s; }
__constant__ int table[2][2] = {{fib(6), fib(7)}, {sum(10), sum(20)}};

//: out[t] == [8, 13, 55, 210][t % 4]
__global__ void constexpr_functions_loops_1(int *out) {
    out[threadIdx.x] = table[threadIdx.x / 2 % 2][threadIdx.x % 2];
}
}

namespace constexpr_functions_loops_2 {
constexpr int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
constexpr int sum(int n) { int s = 0; for (int i = 1; i <= n; ++i) s += i; return s; }
__device__ int table[2][2] = {{fib(6), fib(7)}, {sum(10), sum(20)}};

//: out[t] == [8, 13, 55, 210][t % 4]
__global__ void constexpr_functions_loops_2(int *out) {
    out[threadIdx.x] = table[threadIdx.x / 2 % 2][threadIdx.x % 2];
}
}

namespace constexpr_functions_loops_3 {
constexpr int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
constexpr int sum(int n) { int s = 0; for (int i = 1; i <= n; ++i) s += i; return s; }
constexpr int table[2][2] = {{fib(6), fib(7)}, {sum(10), sum(20)}};

//: out[t] == [8, 13, 55, 210][t % 4]
__global__ void constexpr_functions_loops_3(int *out) {
    out[threadIdx.x] = table[threadIdx.x / 2 % 2][threadIdx.x % 2];
}
}

namespace constexpr_functions_loops_4 {
constexpr int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
constexpr int sum(int n) { int s = 0; for (int i = 1; i <= n; ++i) s += i; return s; }
const int table[2][2] = {{fib(6), fib(7)}, {sum(10), sum(20)}};

//: out[t] == [8, 13, 55, 210][t % 4]
__global__ void constexpr_functions_loops_4(int *out) {
    out[threadIdx.x] = table[threadIdx.x / 2 % 2][threadIdx.x % 2];
}
}

// Assignments inside expressions of a constexpr function fill an array.

namespace assignments_inside_expressions_1 {
constexpr int power(int n) { int r = 1; while (n-- > 0) r *= 2; return r; }
constexpr int mixed(int n) { int a = 0, b = n, c; c = a = b++; return 100 * c + 10 * ++a + b; }
constexpr int table[4] = {power(0), power(5), mixed(2), mixed(3)};

//: out[t] == [1, 32, 233, 344][t % 4]
__global__ void assignments_inside_expressions_1(int *out) {
    out[threadIdx.x] = table[threadIdx.x % 4];
}
}

namespace assignments_inside_expressions_2 {
constexpr int power(int n) { int r = 1; while (n-- > 0) r *= 2; return r; }
constexpr int mixed(int n) { int a = 0, b = n, c; c = a = b++; return 100 * c + 10 * ++a + b; }
struct S { static constexpr int table[4] = {power(0), power(5), mixed(2), mixed(3)}; };

//: out[t] == [1, 32, 233, 344][t % 4]
__global__ void assignments_inside_expressions_2(int *out) {
    out[threadIdx.x] = S::table[threadIdx.x % 4];
}
}

// The advised declarations of such a table work.

namespace advised_declarations_such_1 {
struct Table { int v[8]; };
constexpr Table make() { Table t{}; for (int i = 0; i < 8; ++i) t.v[i] = i * i; return t; }

//: out[t] == t * t
__global__ void advised_declarations_such_1(int *out) {
    constexpr Table T = make(); out[threadIdx.x] = T.v[threadIdx.x];
}
}

namespace advised_declarations_such_2 {
struct Table { int v[8]; };
constexpr Table make() { Table t{}; for (int i = 0; i < 8; ++i) t.v[i] = i * i; return t; }
__constant__ Table T = {{0, 1, 4, 9, 16, 25, 36, 49}};

//: out[t] == t * t
__global__ void advised_declarations_such_2(int *out) {
    out[threadIdx.x] = T.v[threadIdx.x];
}
}

// Threads that write a static variable race.
//: data-race x1 in threads_that_write_a_static_variable_race_n[0]
__global__ void threads_that_write_a_static_variable_race(int *out) {
    static int n; n = threadIdx.x; out[threadIdx.x] = 0;
}

// Declarations without a value or size are refused.
__global__ void declarations_without_value_1(int *out) {
    static int n = threadIdx.x; out[0] = n;
//                                       ^ error: the value of 'declarations_without_value_1_n' is not known before the launch
}

namespace declarations_without_a_value_or_size_are_refused {
struct S;

__global__ void declarations_without_value_2(int *out) {
    __shared__ S s[4];
//               ^ error: S is declared and not defined: define it in this file
}

__global__ void declarations_without_value_3(int *out) {
    S s[4];
//    ^ error: S is declared and not defined: define it in this file
}

__global__ void declarations_without_value_4(S *out) {
//                                           ^ error: S is declared and not defined: define it in this file
}
}

// A static variable that another kernel has no value for is no trouble.

__device__ int other() { static int n = threadIdx.x; return n; }

__global__ void a_static_variable_that_another_kernel_has_no_value_for_is_no_trouble(int *out) {
    out[threadIdx.x] = 1;
}
