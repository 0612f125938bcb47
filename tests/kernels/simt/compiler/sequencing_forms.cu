// Functions that wait, and structs, which every form of sequencing_forms.toml may use.
__device__ int sum(int v, int *s) {
    __syncthreads();
    s[threadIdx.x] = v;
    __syncthreads();
    int total = 0;
    for (int i = 0; i < 64; i += 8)
        total += s[i] + s[i + 1] + s[i + 2] + s[i + 3] + s[i + 4] + s[i + 5] + s[i + 6] + s[i + 7];
    __syncthreads();
    return total;
}
__device__ int next(int v, int *s) {
    __syncthreads();
    s[threadIdx.x] = v;
    __syncthreads();
    int found = s[(threadIdx.x + 1) % 64];
    __syncthreads();
    return found;
}
__device__ int largest(int v, int *s) {
    __syncthreads();
    s[threadIdx.x] = v;
    __syncthreads();
    int most = s[0];
    for (int i = 1; i < 64; i += 3) {
        most = s[i] > most ? s[i] : most;
        most = s[i + 1] > most ? s[i + 1] : most;
        most = s[i + 2] > most ? s[i + 2] : most;
    }
    __syncthreads();
    return most;
}
__device__ void share(int v, int *s) { __syncthreads(); s[threadIdx.x] = v; __syncthreads(); }
__device__ int bump(int &v) { __syncthreads(); v += 10; __syncthreads(); return v; }
__device__ int *beyond(int *s, int i) { __syncthreads(); return s + i; }
__device__ int twice(int v) { return 2 * v; }
__device__ int both(int a, int b) { return 100 * a + b; }
__device__ int both_wait(int a, int b, int *s) { return 100 * a + sum(b, s); }
struct Pair { int a, b; };
struct Nested { int first; Pair rest; };
__device__ Pair pair_of(int a, int *s) { Pair p; p.a = a; p.b = sum(a, s); return p; }
__device__ int total_of(Pair p, int *s) { return p.a + 10 * sum(p.b, s); }
struct Made {
    int v;
    __device__ Made(int a, int b) : v(100 * a + b) {}
};
struct Inner { int v; __device__ Inner(int a) : v(a) {} };
struct Outer { int v; __device__ Outer(Inner a, int b) : v(100 * a.v + b) {} };
struct Refers { int v; __device__ Refers(int &a, int b) : v(100 * a + b) { a = 5; } };
__device__ int pick(int a, int b) { return a + 10 * b; }
__device__ int pick(float a, int b) { return int(2 * a) - b; }
struct Total {
    int v;
    __device__ Total(int a, int *s) : v(sum(a, s)) {}
};
struct Summer {
    int *s; int factor;
    __device__ int operator()(int v) const { return factor * sum(v, s); }
    __device__ int total(int v) const { return factor * sum(v, s); }
    __device__ int change(int v) { factor += v; return factor; }
    __device__ Summer &with(int f) { factor = f; return *this; }
    __device__ int operator[](int v) const { return factor * sum(v, s); }
};
struct Log {
    int v;
    __device__ Log operator<<(int x) const { Log l; l.v = 3 * v + x; return l; }
    __device__ Log &operator+=(int x) { v += x; return *this; }
};
struct Keeps { int v; __device__ Keeps &operator=(const Keeps &o) { v = o.v + 1; return *this; } };
struct Owns { Keeps k; int n; };
struct Plus { int v; };
__device__ Plus operator+(Plus a, Plus b) { Plus p; p.v = a.v + b.v; return p; }
__device__ Plus plus_of(int v, int *s) { Plus p; p.v = sum(v, s); return p; }
struct Parts {
    int a, b, c;
    __device__ Parts(int v, int *s) : a(v), b(sum(a, s)), c(a + b) {}
    __device__ int &first() { return a; }
};
struct Derived : Total {
    int w;
    __device__ Derived(int a, int *s) : Total(a, s), w(v + a) {}
};
__device__ int with_count(int v, int n = __syncthreads_count(1)) { return v * n; }
__device__ int max(int v, int *s) { return largest(v, s); }
template <class F> __device__ int apply(F f, int v) { return f(v); }
template <class... Ts> __device__ int folded(int *s, Ts... each) { return (0 + ... + (sum(1, s) + each)); }
template <int N> __device__ int times(int v, int *s) {
    if constexpr (N == 0) return v; else return sum(v, s) + times<N - 1>(v + 1, s);
}
__device__ int several(int v, int *s) {
    if (s == nullptr) return 1;
    for (int i = 0; i < 3; ++i) { if (i == 2) return sum(v + i, s); else v += next(i, s); }
    return 0;
}
struct Waits {
    int v; int *s;
    __device__ Waits operator+(const Waits &o) const { Waits w; w.s = s; w.v = v + sum(o.v, s); return w; }
    __device__ operator int() const { return sum(v, s); }
};
