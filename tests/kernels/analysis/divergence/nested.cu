__global__ void k(float *A, int n) {
    int x = threadIdx.x;
    if (x >= n) return;
    if (x < 4) {
        if (x % 2) A[x] = 1.0f;
        else A[x] = 2.0f;
    }
    A[x] += 3.0f;
}
