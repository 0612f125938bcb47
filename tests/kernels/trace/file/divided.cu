__global__ void k(float *C) {
    extern __shared__ float sums[];
    int *counts = (int *)(sums + 4);
    sums[threadIdx.x] = 0.5f;
    counts[threadIdx.x] = 7;
    __syncthreads();
    C[threadIdx.x] = sums[threadIdx.x] * counts[threadIdx.x];
}
