__global__ void copies(const float *x, float *y) {
    __shared__ float s[3][32];
    int t = threadIdx.x;
    for (int k = 0; k < 3; ++k) {
        __pipeline_memcpy_async(&s[k][t], &x[k * 32 + t], 4, t == 31 ? 4 : 0);
        __pipeline_commit();
    }
    __pipeline_wait_prior(1);
    y[t] = s[1][t];
    __pipeline_wait_prior(0);
    y[32 + t] = s[2][t];
}
