#include <cuda_runtime.h>

__global__
void rgba_to_greyscale(const uchar4* const rgbaImage,
                       unsigned char* const greyImage,
                       int numRows, int numCols)
{
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= numRows * numCols) return;

  uchar4 rgba = rgbaImage[idx];
  // I = .299f * R + .587f * G + .114f * B
  greyImage[idx] = .299f * rgba.x + .587f * rgba.y + .114f * rgba.z;
}

void your_rgba_to_greyscale(uchar4 * const d_rgbaImage, unsigned char* const d_greyImage, size_t numRows, size_t numCols)
{
  const dim3 blockSize(128, 1, 1);
  const dim3 gridSize((numRows * numCols + 127) / 128, 1, 1);
  rgba_to_greyscale<<<gridSize, blockSize>>>(d_rgbaImage, d_greyImage, numRows, numCols);
  cudaDeviceSynchronize();
}
