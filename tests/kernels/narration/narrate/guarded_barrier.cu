__global__ void meet(float *out) {
    if (threadIdx.x < 3)
        __syncthreads();
    out[threadIdx.x] = 1;
}
