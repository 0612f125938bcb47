// Which thread works on which element of a two-dimensional array.
//
// idea     row = blockIdx.y * blockDim.y + threadIdx.y, column likewise with x
// mapping  threadIdx.x runs along a row
// watch    the flattened index row * width + column, and the threads beyond the edge that must do nothing

extern "C" __global__ void index_map(int *out, int height, int width)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < height && column < width)
        out[row * width + column] = row * width + column;
}

/* tilescope
title    = "Threads on an array"
teaches  = "From threadIdx and blockIdx to row and column, to the flat index, to the byte address."
workload = "index"
order    = 11
size     = [6, 8, 1]
block    = [4, 2]
blocks   = [[32, 8], [512, 2]]
grid     = ["(width + block_x - 1) / block_x", "(height + block_y - 1) / block_y"]
*/
