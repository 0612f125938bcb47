// Homework 2 - image blurring, one colour channel
__global__
void gaussian_blur(const unsigned char* const inputChannel,
                   unsigned char* const outputChannel,
                   int numRows, int numCols,
                   const float* const filter, const int filterWidth)
{
  const int2 thread_2D_pos = make_int2(blockIdx.x * blockDim.x + threadIdx.x,
                                       blockIdx.y * blockDim.y + threadIdx.y);
  const int thread_1D_pos = thread_2D_pos.y * numCols + thread_2D_pos.x;

  // make sure we don't try and access memory outside the image
  if (thread_2D_pos.x >= numCols || thread_2D_pos.y >= numRows)
    return;

  float result = 0.f;
  for (int filter_r = -filterWidth/2; filter_r <= filterWidth/2; ++filter_r) {
    for (int filter_c = -filterWidth/2; filter_c <= filterWidth/2; ++filter_c) {
      // clamp to the boundary of the image
      int image_r = min(max(thread_2D_pos.y + filter_r, 0), numRows - 1);
      int image_c = min(max(thread_2D_pos.x + filter_c, 0), numCols - 1);
      float image_value = static_cast<float>(inputChannel[image_r * numCols + image_c]);
      float filter_value = filter[(filter_r + filterWidth/2) * filterWidth + filter_c + filterWidth/2];
      result += image_value * filter_value;
    }
  }
  outputChannel[thread_1D_pos] = result;
}
