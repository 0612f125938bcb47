/*
 * Small batched products: C[b] = alpha * A[b] * B[b] + beta * C[b]
 * Every matrix of the batch is m x k, k x n, m x n, row major and tightly packed.
 */
#define BS 8

extern "C" __global__ void batched_gemm(const float *A, const float *B, float *C,
                                        int m, int n, int k, float alpha, float beta, int batch)
{
    int b = blockIdx.z;
    if (b >= batch) return;

    const float *Ab = A + b * m * k;
    const float *Bb = B + b * k * n;
    float *Cb = C + b * m * n;

    __shared__ float sA[BS][BS];
    __shared__ float sB[BS][BS];

    int r = blockIdx.y * BS + threadIdx.y;
    int c = blockIdx.x * BS + threadIdx.x;
    float acc = 0.f;

    for (int p = 0; p < k; p += BS) {
        sA[threadIdx.y][threadIdx.x] = (r < m && p + threadIdx.x < k) ? Ab[r * k + p + threadIdx.x] : 0.f;
        sB[threadIdx.y][threadIdx.x] = (p + threadIdx.y < k && c < n) ? Bb[(p + threadIdx.y) * n + c] : 0.f;
        __syncthreads();
#pragma unroll
        for (int q = 0; q < BS; ++q)
            acc = fmaf(sA[threadIdx.y][q], sB[q][threadIdx.x], acc);
        __syncthreads();
    }

    if (r < m && c < n)
        Cb[r * n + c] = alpha * acc + beta * Cb[r * n + c];
}
