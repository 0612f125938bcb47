// Dot product of rows. Broken: the accumulator has no first value.
extern "C" __global__ void dot_product_uninitialised_sum(const float *a, const float *b, float *out, int n)
{
    int row = threadIdx.x;
    float sum;
    for (int k = 0; k < n; ++k)
        sum += a[row * n + k] * b[k];
    out[row] = sum;
}

/* hazard
trace = '''
    --grid 1 --block 32 --arg a=f32[32,8]:iota --arg b=f32[8]:ones --arg out=f32[32]:uninit --arg n=8'''
hazards = [{ kind = "uninitialised-read", array = "sum", lines = [7] }]
seen = []
unseen = "initcheck watches global memory only; a register that nobody set is the compiler's to warn of."
*/
