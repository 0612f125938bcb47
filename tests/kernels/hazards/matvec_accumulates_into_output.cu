// Matrix times vector. Broken: the sum is kept in y, which nobody has set to zero.
extern "C" __global__ void matvec_accumulates_into_output(const float *a, const float *x, float *y, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows)
        for (int k = 0; k < cols; ++k)
            y[row] += a[row * cols + k] * x[k];
}

/* hazard
trace = '''
    --grid 2 --block 32 --arg a=f32[40,4]:iota --arg x=f32[4]:ones --arg y=f32[40]:uninit
    --arg rows=40 --arg cols=4'''
hazards = [{ kind = "uninitialised-read", array = "y", lines = [7] }]
seen = ["initcheck"]
*/
