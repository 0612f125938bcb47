// Scale column c of a matrix by s[c]. Column from the grid's x, row from the block's y.
__global__ void scale_columns(float *m, const float *s, int rows, int cols)
{
    int c = blockIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c < cols && r < rows)
        m[r * cols + c] *= s[c];
}
