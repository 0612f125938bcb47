__device__ float f(int x) {
    if (x > 1) return 2.0f;
    return 1.0f;
}
__global__ void k(float *A) {
    int x = threadIdx.x;
    switch (x) {
    case 0: A[x] = 5.0f; break;
    default: A[x] = f(x);
    }
    A[x] += 3.0f;
}
