__global__ void half(const float *in, float *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 6 && y < 5 && z < 4) out[(z * 5 + y) * 6 + x] = 0.5f * in[(z * 5 + y) * 6 + x];
}
