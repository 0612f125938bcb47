// Sum of two matrices of 8 rows and 16 columns. Broken: rows and columns are swapped in the guard.
extern "C" __global__ void matadd_swapped_guard(const float *a, const float *b, float *c, int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < cols && col < rows)
        c[row * cols + col] = a[row * cols + col] + b[row * cols + col];
}

/* hazard
trace = '''
    --grid 2,2 --block 8,8 --arg rows=8 --arg cols=16
    --arg a=f32[8,16]:iota --arg b=f32[8,16]:ones --arg c=f32[8,16]:zeros'''
hazards = [
    { kind = "out-of-bounds", array = "a", lines = [7] },
    { kind = "out-of-bounds", array = "b", lines = [7] },
    { kind = "out-of-bounds", array = "c", lines = [7] },
]
seen = ["memcheck"]
*/
