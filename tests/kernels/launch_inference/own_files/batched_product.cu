// C[b] = A[b] * B[b] for a batch of small matrices; one z-slice of the grid per matrix
constexpr int TX = 32, TY = 8;

__global__ void batched_gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
                             int M, int N, int K)
{
    __shared__ float arow[TY][TX];

    const int batch = blockIdx.z;
    const int col   = blockIdx.x * TX + threadIdx.x;
    const int row   = blockIdx.y * TY + threadIdx.y;

    const float* a = A + (size_t)batch * M * K;
    const float* b = B + (size_t)batch * K * N;
    float*       c = C + (size_t)batch * M * N;

    float acc = 0.f;
    for (int k0 = 0; k0 < K; k0 += TX) {
        const int k = k0 + threadIdx.x;
        arow[threadIdx.y][threadIdx.x] = (row < M && k < K) ? a[row * K + k] : 0.f;
        __syncthreads();
        if (col < N)
            for (int kk = 0; kk < TX && k0 + kk < K; ++kk)
                acc += arow[threadIdx.y][kk] * b[(k0 + kk) * N + col];
        __syncthreads();
    }
    if (row < M && col < N)
        c[row * N + col] = acc;
}
