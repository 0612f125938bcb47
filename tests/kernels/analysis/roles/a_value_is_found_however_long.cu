__global__ void k(float *A) {
    int x = threadIdx.x;
    float v = x;
    if (x < 2) v = 10 * x;
    for (int i = 0; i < 3000; ++i) A[x] = i;
    if (x == 1) v = 7;
    A[x] = v;
}
