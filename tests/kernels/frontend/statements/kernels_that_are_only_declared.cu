template <int N> __global__ void elsewhere(int *a);
template <int N> __global__ void special(int *a);
template <> __global__ void special<2>(int *a) { a[threadIdx.x] = 2; }
template <int N> __global__ void here(int *a);
template <int N> __global__ void here(int *a) { a[threadIdx.x] = N; }
