__constant__ int n = 2 * MOST;
__global__ void k(int *a) { if (threadIdx.x < n) a[threadIdx.x] = n; }
