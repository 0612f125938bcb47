__global__ void k(float *A) {
    int x = threadIdx.x;
    float v = A[x];
    if (v > 1.0f)
        v = v * 2.0f;
    for (int i = 0; i < 2; ++i)
        A[x] = v + i;
    __syncthreads();
}
