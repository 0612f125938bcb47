__global__ void k(cudaTextureObject_t image, float *a) {
    a[threadIdx.x] = texCubemap<float>(image, 1.0f, 0.5f, 0.25f);
}
