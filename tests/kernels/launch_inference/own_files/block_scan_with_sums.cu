#include <cuda_runtime.h>
#define SECTION_SIZE 128

// Kogge-Stone scan of sections; the last value of each section goes to S, which a second kernel scans.
__global__ void Kogge_Stone_scan(float *X, float *Y, float *S, int InputSize) {
  __shared__ float XY[SECTION_SIZE];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < InputSize) {
    XY[threadIdx.x] = X[i];
  } else {
    XY[threadIdx.x] = 0.0f;
  }
  for (unsigned int stride = 1; stride < blockDim.x; stride *= 2) {
    __syncthreads();
    float temp = 0.0f;
    if (threadIdx.x >= stride)
      temp = XY[threadIdx.x] + XY[threadIdx.x - stride];
    __syncthreads();
    if (threadIdx.x >= stride)
      XY[threadIdx.x] = temp;
  }
  if (i < InputSize) Y[i] = XY[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) S[blockIdx.x] = XY[SECTION_SIZE - 1];
}
