// Atomic objects of libcu++: values, recorded accesses, and memory order.

// Many threads change one.
//: a = array([100], "f4")
//: a[t] == 128
//: old[t] == 100 + sum(range(t))
__global__ void many_threads_change_1(cuda::atomic<float> *a, float *old) {
    old[threadIdx.x] = a->fetch_add(threadIdx.x);
}

//: a = array([100], "u8")
//: a[t] == 128
//: old[t] == 100 + sum(range(t))
__global__ void many_threads_change_2(cuda::atomic<unsigned long long> *a, unsigned long long *old) {
    old[threadIdx.x] = a->fetch_add(threadIdx.x);
}

//: a = array([100], "i2")
//: a[t] == 128
//: old[t] == 100 + sum(range(t))
__global__ void many_threads_change_3(cuda::atomic<short> *a, short *old) {
    old[threadIdx.x] = a->fetch_add(threadIdx.x);
}

//: a = array([100], "f8")
//: a[t] == 128
//: old[t] == 100 + sum(range(t))
__global__ void many_threads_change_4(cuda::atomic<double> *a, double *old) {
    old[threadIdx.x] = a->fetch_add(threadIdx.x);
}

// Memory spaces of atomic objects.

typedef cuda::atomic<int> number;
__device__ cuda::atomic<int, cuda::thread_scope_device> total{40};
__device__ void add(cuda::atomic<int, cuda::thread_scope_block> &to, int x) { to += x; }

//: out[t] == 132
__global__ void memory_spaces_of_atomic_objects(int *out) {
    __shared__ cuda::atomic<int, cuda::thread_scope_block> count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    const number mine = threadIdx.x;
    number twice = 2 * mine;
    twice += mine.load();
    add(count, twice);
    total++;
    __syncthreads();
    out[threadIdx.x] = count.load() + total;
}

// Plain accesses race with them.
//: a = zeros(1)
__global__ void plain_accesses_race_with_them(int *a) {
     cuda::atomic_ref<int> x(a[0]);
    if (threadIdx.x) x++;
    else a[0] = 5;
//       ^ data-race x1
}

// An atomic ref without a name.
//: <<<1, 64>>>
//: a = zeros(2)
//: a == [64, 0]
#define ATOMIC_REF(NAME, ...) \
    __global__ void NAME(int *a) { \
        __VA_ARGS__; \
    }
ATOMIC_REF(atomic_ref_without_1, cuda::atomic_ref<int> x(a[0]); x++)
ATOMIC_REF(atomic_ref_without_2, cuda::atomic_ref<int> x{a[0]}; x.fetch_add(1))
ATOMIC_REF(atomic_ref_without_3, auto x = cuda::atomic_ref<int>(*a); x.fetch_add(1))
ATOMIC_REF(atomic_ref_without_4, auto x = cuda::atomic_ref<int, cuda::thread_scope_device>{*a}; ++x)
ATOMIC_REF(atomic_ref_without_5,
    cuda::atomic_ref<int, cuda::thread_scope_device>(*a).fetch_add(1, cuda::memory_order_relaxed))
ATOMIC_REF(atomic_ref_without_6, cuda::atomic_ref<int>{a[0]}++)
ATOMIC_REF(atomic_ref_without_7, cuda::atomic_ref<int>(*a)++)
ATOMIC_REF(atomic_ref_without_8, using Shared = cuda::atomic_ref<int>; Shared(a[0]) += 1)

// Refusals.
//: a = zeros(1)
#define REFUSALS(NAME, ...) \
    __global__ void NAME(cuda::atomic<int> *a) { \
        __VA_ARGS__; \
    }
REFUSALS(refusals_1, a->fetch_add())
//                   ^ error: fetch_add takes 1 or 2 arguments, 0 are given
REFUSALS(refusals_2, *a *= 2)
//                   ^ error: cuda::atomic<int> has no operator *=
REFUSALS(refusals_3, a->wait(1))
//                   ^ error: not supported: member function wait of cuda::atomic<int>
REFUSALS(refusals_4, a->fetch_max(1))
//                   ^ error: not supported: member function fetch_max of cuda::atomic<int>
REFUSALS(refusals_5, int e = 0; a->compare_exchange_weak(e, 1))
//                              ^ error: not supported: member function compare_exchange_weak of cuda::atomic<int>
REFUSALS(refusals_6, cuda::atomic_thread_fence(cuda::memory_order_acquire))
//                   ^ error: not supported: function 'atomic_thread_fence'
REFUSALS(refusals_7, int v = 0; cuda::atomic_ref<int> r(v))
//                                                    ^ error: atomic_ref<int> needs an element of an array of int
REFUSALS(refusals_8, cuda::atomic<float4> v)
//                   ^ error: not supported: type 'cuda::atomic<float4>'; write atomic<int, cuda::thread_scope_device>, of a number
REFUSALS(refusals_9, atomicAdd(a, 1))
//                   ^ error: atomicAdd does not take cuda::atomic<int>; it takes int, unsigned int, unsigned long long, float, double, half

// A constructor makes a struct of what is assigned or returned.

namespace a_constructor_makes_a_struct_of_what_is_assigned_or_returned {
struct V {
    int x;
    __device__ V(int x) : x(x) {}
    __device__ V operator+(const V &v) const { return x + v.x; }
};
__device__ V twice(int x) { return 2 * x; }

#define CONSTRUCTOR_MAKES(NAME, ...) \
    __global__ void NAME(int *out) { \
        int t = threadIdx.x; __VA_ARGS__; \
    }
CONSTRUCTOR_MAKES(constructor_makes_struct_1, V v = 2; v = t + 1; out[t] = v.x)  //: out[t] == t + 1
CONSTRUCTOR_MAKES(constructor_makes_struct_2, V v(1); v = twice(t); out[t] = v.x)  //: out[t] == 2 * t
CONSTRUCTOR_MAKES(constructor_makes_struct_3, out[t] = (twice(t) + 3).x)  //: out[t] == 2 * t + 3
}

// Arguments that no constructor takes are refused.

namespace arguments_that_no_constructor_takes_are_refused {
struct W {}; struct V { int x; __device__ V(int x) : x(x) {} };

__global__ void arguments_that_no_constructor_takes_are_refused(int *out) {
    int t = threadIdx.x, r = 0;
    V v(1); W w; v = w;
//               ^ error: W cannot become
    out[t] = r;
}
}

// Of templates the one that says more of an argument is meant.

namespace of_templates_the_one_that_says_more_of_an_argument_is_meant {
template <class T> struct V {
    T x;
    __device__ V(T x) : x(x) {}
    __device__ V operator-() const { return V(-x); }
};
template <class T, class U> __device__ V<T> operator-(const V<T> &a, const V<U> &b) { return {a.x - b.x}; }
template <class T, class U> __device__ V<T> operator-(const V<T> &a, const U b) { return {a.x - b * 10}; }

//: out[t] == (t - 2) * 100 + (t - 10) - (t - 3)
__global__ void of_templates_the_one_that_says_more_of_an_argument_is_meant(int *out) {
    int t = threadIdx.x;
    V<int> a(t), b(2); const V<int> c(3); out[t] = (a - b).x * 100 + (a - 1).x + (-(a - c)).x;
}
}
