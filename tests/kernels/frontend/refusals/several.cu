__device__ int odd(int x) { throw x; }
__global__ void fine(int *a) { a[threadIdx.x] = 1; }
__global__ void jumps(int *a) { throw 1; }
__global__ void calls(int *a) { a[threadIdx.x] = odd(1); }
template <typename T> __global__ void waits(T *a) { throw 1; }
__constant__ Unheard table[4];
