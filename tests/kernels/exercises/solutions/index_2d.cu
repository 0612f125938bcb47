extern "C" __global__ void index_2d(int *out, int height, int width)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < height && column < width)
        out[row * width + column] = row * width + column;
}
