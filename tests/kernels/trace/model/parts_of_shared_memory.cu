__global__ void k(float *C) {
    extern __shared__ float sums[];
    int *counts = (int *)(sums + 2);
    unsigned *lowest = (unsigned *)&sums[1];
    sums[threadIdx.x] = 1.5f;
    counts[threadIdx.x] = -3;
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], 1);
    atomicMin(lowest, __float_as_uint(0.25f));
    __syncthreads();
    C[threadIdx.x] = sums[threadIdx.x] + counts[threadIdx.x];
}
