#include <cstddef>

// scale an image that was allocated with cudaMallocPitch; pitch is in bytes
__global__ void scaleImage(const float *src, size_t srcPitch, float *dst, size_t dstPitch, int width, int height, float f)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        const float *in = (const float *)((const char *)src + y * srcPitch);
        float *out = (float *)((char *)dst + y * dstPitch);
        out[x] = f * in[x];
    }
}
