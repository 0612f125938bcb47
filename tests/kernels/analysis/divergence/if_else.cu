__global__ void k(float *A) {
    int x = threadIdx.x;
    if (x < 2)
        A[x] = 1.0f;
    else
        A[x] = 2.0f;
    A[x] += 3.0f;
}
