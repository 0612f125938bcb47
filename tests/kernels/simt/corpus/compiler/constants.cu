// Constants that are arrays and structs.

// Constants that are arrays and structs.

struct S { static constexpr int n[3] = {1, 2, 3}; static constexpr float h = 0.5f; __device__ static int at(int i) { return n[i]; } };
constexpr int S::n[3];

//: out[t] == t % 3 + 1 + 20 + 300 + 500 + 120000
__global__ void constants_arrays_structs_1(int *out) {
    int t = threadIdx.x;
    S s; __shared__ int x[S::n[2]]; if (!t) x[0] = 1;
    out[t] = S::n[t % 3] + 10 * s.n[1] + 100 * S::at(2) + 1000 * S::h + 10000 * sizeof(x);
}

namespace constants_arrays_structs_2 {
template <int N> struct T { static constexpr int turn[2] = {N, N + 1}; };
template <int N> __device__ int f(int i) { return T<N>::turn[i]; }

//: out[t] == 5 + (t & 1) + 72
__global__ void constants_arrays_structs_2(int *out) {
    int t = threadIdx.x;
    out[t] = f<5>(t & 1) + 10 * f<7>(0) + T<1>::turn[1] + 1000 * T<-1>::turn[1];
}
}

namespace constants_arrays_structs_3 {
struct Config { int m, n; float scale = 2; }; constexpr Config config{4, 8}; constexpr int sizes[] = {2, 3};
template <int N> __device__ int f() { return N; } constexpr Config all[2] = {{1, 2, 3}, {4, 5, 6}};

//: out[t] == 3 + 128 + 2 + 2 + 3 * (t & 1)
__global__ void constants_arrays_structs_3(int *out) {
    int t = threadIdx.x;
    int x[config.m * config.n]; x[t] = f<sizes[1]>(); out[t] = x[t] + sizeof(x) + config.scale + all[t & 1].n;
}
}
