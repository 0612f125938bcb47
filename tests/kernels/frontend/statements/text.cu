__global__ void k(const float *a, float *b, int rows, int cols, int limit)
{
    int2 at = make_int2(blockIdx.x * 8 + threadIdx.x, threadIdx.y);
    int total = rows * cols, i = at.y * cols + at.x;
    if (i >= total || at.x > 5) return;
    for (int k = threadIdx.x; k < min(cols, limit); k += 8) b[i] = a[k];
}
