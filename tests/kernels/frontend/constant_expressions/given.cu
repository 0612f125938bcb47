constexpr int half_of(int n) { return n / 2; }
__host__ __device__ constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }
template <typename T> constexpr T larger(T a, T b) { return a > b ? a : b; }
template <int N> constexpr int log2() { if constexpr (N > 1) return 1 + log2<N / 2>(); else return 0; }
constexpr int slow_log2(unsigned n) { return n < 2 ? 0 : 1 + slow_log2(n >> 1); }
constexpr int sum(int n) { int s = 0; for (int i = 1; i <= n; ++i) { if (i == 3) continue; s += i; } return s; }
constexpr int first(int n) { while (true) { if (n % 7 == 0) break; n++; } return n; }
constexpr int once(int n) { do { n -= 3; } while (n > 3); return n; }
constexpr unsigned char small(int n) { return n; }
constexpr float root(float x) { float y = x; for (int i = 0; i < 20; i++) y = (y + x / y) / 2, y += 0; return y; }
constexpr bool even(int n) { return n % 2 == 0; }
constexpr int loops(int n) { while (n) { } return n; }
constexpr int deep(int n) { return deep(n + 1); }
constexpr int two(int n) { return n; }
constexpr int two(float n) { return n; }
__device__ int plain(int n) { return n; }
constexpr int nothing(int n) { if (n > 5) return 1; }
struct S { static constexpr int twice(int n) { return 2 * n; } };
