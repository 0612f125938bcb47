__global__ void k(cudaTextureObject_t image, float *a) {
    a[blockIdx.x * 8 + threadIdx.x] = tex2D<unsigned char>(image, threadIdx.x, blockIdx.x);
}
int main() { k<<<2, 8>>>(image, a); }
