#include <stdio.h>
#define TS 16
/* C = A * B^T, A is M x K and B is N x K, both row major */
__global__ void gemm_nt(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[TS][TS];
  __shared__ float Bs[TS][TS + 1];
  int row = blockIdx.y * TS + threadIdx.y;
  int col = blockIdx.x * TS + threadIdx.x;
  float acc = 0;
  int tiles = (K + TS - 1) / TS;
  for (int t = 0; t < tiles; t++) {
    int k = t * TS + threadIdx.x;
    int brow = blockIdx.x * TS + threadIdx.y;
    As[threadIdx.y][threadIdx.x] = row < M && k < K ? A[row * K + k] : 0;
    Bs[threadIdx.y][threadIdx.x] = brow < N && k < K ? B[brow * K + k] : 0;
    __syncthreads();
    for (int i = 0; i < TS; i++) acc += As[threadIdx.y][i] * Bs[threadIdx.x][i];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = acc;
}
int main() {
  int M = 100, N = 90, K = 80;
  float *a, *b, *c;
  cudaMallocManaged(&a, M * K * 4); cudaMallocManaged(&b, N * K * 4); cudaMallocManaged(&c, M * N * 4);
  dim3 block(TS, TS);
  dim3 grid((N + TS - 1) / TS, (M + TS - 1) / TS);
  gemm_nt<<<grid, block>>>(a, b, c, M, N, K);
  cudaDeviceSynchronize();
  printf("%f\n", c[0]);
}
