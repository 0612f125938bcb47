extern "C" __global__ void grid_too_small(int *out, int height, int width)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < height && column < width)
        out[row * width + column] = row * width + column;
}

/* tilescope
title    = "A grid that is too small"
teaches  = "The number of blocks is the length divided by the block's side, rounded up."
workload = "index"
size     = [5, 7, 1]
block    = [4, 2]
blocks   = [[4, 2]]
grid     = ["(width + block_x - 1) / block_x", "(height + block_y - 1) / block_y"]
*/
