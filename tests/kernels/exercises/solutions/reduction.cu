extern "C" __global__ void reduction(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float partial[THREADS];
    int t = threadIdx.x;

    float sum = 0.0f;
    for (int k = t; k < K; k += THREADS)
        sum += A[k] * B[k];
    partial[t] = sum;
    __syncthreads();  // stored

    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            partial[t] += partial[t + half];
        __syncthreads();  // added
    }

    if (t == 0)
        C[0] = partial[0];
}
