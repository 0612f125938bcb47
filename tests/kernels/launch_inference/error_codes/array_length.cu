const int half = 2;
__device__ int first(int x) { int s[half * SIDE] = {x}; return s[0]; }
__global__ void k(int *a) { a[threadIdx.x] = first(threadIdx.x); }
