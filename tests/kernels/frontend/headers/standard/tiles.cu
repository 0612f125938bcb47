template <int N> struct Window {
    using Fragment = float[N];
    const float *from;
    __device__ Window(const float *a, int at) : from(a + at) {}
    __device__ void load(Fragment &to) const { for (int i = 0; i < N; ++i) to[i] = from[i]; }
    __device__ Window &operator++() { from += N; return *this; }
};
struct Fast {};
struct Slow {};
template <int N> struct Traits {
    static constexpr int width = N;
    using WindowA = Window<N>;
    using Number = int;
    using Way = Fast;
    template <typename T> struct Of { using type = T; };
};
__device__ int way(Fast) { return 1; }
__device__ int way(Slow) { return 2; }
template <typename T> __device__ float rows(const float *a, int t) {
    auto window = typename T::WindowA(a, t);
    alignas(T::width * sizeof(float)) float sums[T::width] = {0};
    typename T::WindowA::Fragment each;
    for (int k = 0; k < 3; ++k, ++window) {
        window.load(each);
        for (int i = 0; i < T::width; ++i) sums[i] += each[i];
    }
    typename T::template Of<float>::type sum = 0;
    for (float each : sums) sum += each;
    typename T::Number whole = typename T::Number(sum) + way(typename T::Way{}) * typename T::Number{1000};
    typename T::Number *at = &whole;
    return (typename T::Number)(*at + 0.75f);
}
