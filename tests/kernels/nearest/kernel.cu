extern __shared__ float tile[];
__global__ void k(float *out) {
    STATIC
    tile[16 * 1024] = 3;
    out[0] = tile[16 * 1024];
}
