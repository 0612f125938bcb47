__global__ void k(cudaPitchedPtr p, cudaExtent size, float *out) {
    const float *row = (const float *)((const char *)p.ptr + threadIdx.x * p.pitch);
    float sum = 0;
    for (size_t x = 0; x < size.width; ++x) sum += row[x];
    out[threadIdx.x] = sum;
}
