extern "C" __global__ void atomics(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float partial[THREADS];
    int t = threadIdx.x;
    int k = blockIdx.x * THREADS + t;

    partial[t] = k < K ? A[k] * B[k] : 0.0f;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            partial[t] += partial[t + half];
        __syncthreads();
    }

    if (t == 0)
        atomicAdd(&C[0], partial[0]);
}

/* tilescope
title    = "One sum of many blocks"
teaches  = "An atomic adds without a race, and what it adds to has to be 0 before the launch."
workload = "matmul"
size     = [1, 1, 16]
block    = [4]
blocks   = [[4]]
clear    = ["C"]
grid     = ["(K + block_x - 1) / block_x"]
define   = { THREADS = "block_x" }
*/
