// 3x3 box filter on 8-bit grey images allocated with cudaMallocPitch (pitch in bytes)
__global__ void boxFilter3x3(const unsigned char *src, size_t srcPitch,
                             unsigned char *dst, size_t dstPitch,
                             int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;

    int sum = 0, count = 0;
    for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
            const int xx = x + dx, yy = y + dy;
            if (xx < 0 || xx >= width || yy < 0 || yy >= height)
                continue;
            const unsigned char *line = (const unsigned char *)((const char *)src + yy * srcPitch);
            sum += line[xx];
            ++count;
        }
    }
    unsigned char *out = dst + y * dstPitch;
    out[x] = (unsigned char)(sum / count);
}

void boxFilter(const unsigned char *hSrc, unsigned char *hDst, int width, int height)
{
    unsigned char *dSrc, *dDst;
    size_t srcPitch, dstPitch;
    cudaMallocPitch((void **)&dSrc, &srcPitch, width, height);
    cudaMallocPitch((void **)&dDst, &dstPitch, width, height);
    cudaMemcpy2D(dSrc, srcPitch, hSrc, width, width, height, cudaMemcpyHostToDevice);
    const dim3 threads(16, 16);
    const dim3 blocks((width + threads.x - 1) / threads.x, (height + threads.y - 1) / threads.y);
    boxFilter3x3<<<blocks, threads>>>(dSrc, srcPitch, dDst, dstPitch, width, height);
    cudaMemcpy2D(hDst, width, dDst, dstPitch, width, height, cudaMemcpyDeviceToHost);
}
