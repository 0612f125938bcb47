__global__ void k(float *A) {
    __shared__ float s[40];
    int x = threadIdx.x;
    s[x] = x;
    __syncthreads();
    if (x < 32) A[x] = s[39 - x];
}
