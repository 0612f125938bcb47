template <typename T> concept Number = std::is_arithmetic_v<T>;
template <int N> concept Small = N < 64 && N > 0;
template <typename F, typename T> concept Binary = requires(F f, T a) { { f(a, a) } -> std::same_as<T>; };
struct Add { __device__ int operator()(int a, int b) const { return a + b; } };
