texture<float2, 2> image;
__global__ void k(float *a) { a[threadIdx.x] = tex2D(image, threadIdx.x, blockIdx.x).y; }
