__global__ void k(const float *A, float *C, int n, float x, bool b) {
    __shared__ float s[4];
    printf("é %d\n", n);
    C[threadIdx.x] = A[threadIdx.x + n] + s[threadIdx.x % 4];
}
