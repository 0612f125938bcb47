typedef void (Kernel)(int *, int);
__global__ Kernel fill;
__device__ int twice(int);
typedef int Change(int);
__device__ Change twice;
__global__ void fill(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = twice(threadIdx.x); }
__device__ int twice(int x) { return 2 * x; }
