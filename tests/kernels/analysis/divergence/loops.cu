__global__ void k(float *A) {
    int x = threadIdx.x;
    for (int i = 0; i < x; ++i) {
        if (i == 2) break;
        A[x] += i;
    }
    A[x] += 5.0f;
}
