// Naive (Hillis & Steele) inclusive scan with a double buffer.
// Launch with one block of n threads and 2 * n * sizeof(float) bytes of shared memory.
__global__ void scan(float *g_odata, const float *g_idata, int n)
{
    extern __shared__ float temp[];   // allocated on invocation
    int thid = threadIdx.x;
    int pout = 0, pin = 1;

    if (thid < n)
        temp[pout * n + thid] = g_idata[thid];
    __syncthreads();

    for (int offset = 1; offset < n; offset *= 2) {
        pout = 1 - pout;              // swap double buffer indices
        pin = 1 - pout;
        if (thid < n) {
            if (thid >= offset)
                temp[pout * n + thid] = temp[pin * n + thid] + temp[pin * n + thid - offset];
            else
                temp[pout * n + thid] = temp[pin * n + thid];
        }
        __syncthreads();
    }
    if (thid < n)
        g_odata[thid] = temp[pout * n + thid];
}
