__global__ void k(float *A) {
    __shared__ float s[40];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    A[threadIdx.x] = s[39 - threadIdx.x];
}
