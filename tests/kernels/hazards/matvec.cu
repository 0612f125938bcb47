// Matrix times vector, one thread per row.
extern "C" __global__ void matvec(const float *a, const float *x, float *y, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0.0f;
    for (int k = 0; k < cols; ++k)
        sum += a[row * cols + k] * x[k];
    y[row] = sum;
}

/* hazard
trace = '''
    --grid 2 --block 32 --arg a=f32[40,4]:iota --arg x=f32[4]:ones --arg y=f32[40]:uninit
    --arg rows=40 --arg cols=4'''
hazards = []
seen = []
first = { y = [6, 22, 38, 54, 70, 86, 102, 118] }
*/
