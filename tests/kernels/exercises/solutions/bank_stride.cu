extern "C" __global__ void bank_stride(const float *x, float *s, int n)
{
    extern __shared__ float sums[];  // one of each thread
    int t = threadIdx.x;
    int i = blockIdx.x * THREADS + t;

    sums[t] = i < n ? x[i] : 0.0f;
    __syncthreads();

    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            sums[t] += sums[t + half];
        __syncthreads();
    }

    if (t == 0)
        atomicAdd(s, sums[0]);
}

/* tilescope
title    = "A tree without conflicts"
teaches  = "A tree by halves reads consecutive elements, one of each bank."
workload = "reduce"
clear    = ["s"]
size     = [128]
block    = [64]
blocks   = [[32], [64], [128]]
grid     = ["(n + block_x - 1) / block_x"]
dynamic_shared = "4 * block_x"
define   = { THREADS = "block_x" }
*/
