// Inclusive scan of one block (Hillis & Steele), double buffered in dynamic shared memory
__global__ void inclusive_scan(float *g_odata, float *g_idata, int n)
{
    extern __shared__ float temp[]; // 2 * n floats
    int thid = threadIdx.x;
    int pout = 0, pin = 1;

    temp[pout * n + thid] = g_idata[thid];
    __syncthreads();

    for (int offset = 1; offset < n; offset *= 2) {
        pout = 1 - pout;
        pin = 1 - pout;
        if (thid >= offset)
            temp[pout * n + thid] = temp[pin * n + thid] + temp[pin * n + thid - offset];
        else
            temp[pout * n + thid] = temp[pin * n + thid];
        __syncthreads();
    }
    g_odata[thid] = temp[pout * n + thid];
}
