__global__ void k(int *a) { if (threadIdx.x < MOST) a[threadIdx.x] = MOST; }
