__global__ void ping(volatile int *flag, int *out, int n) {
    for (int i = 0; i < n; ++i) {
        while (flag[0] % 2 != blockIdx.x) ;
        out[i * 2 + blockIdx.x] = flag[0];
        __threadfence();
        flag[0] = flag[0] + 1;
    }
}
