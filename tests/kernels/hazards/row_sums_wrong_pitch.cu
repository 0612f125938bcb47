// Sum of each row, weighted. Broken: the caller passes a pitch of 40 for rows of 32, so the last rows lie beyond
// the matrix, in whatever array the allocator put there.
extern "C" __global__ void row_sums_wrong_pitch(const float *m, const float *weights, float *sums, int pitch)
{
    int row = threadIdx.x;
    float sum = 0.0f;
    for (int col = 0; col < 32; ++col)
        sum += m[row * pitch + col] * weights[col];
    sums[row] = sum;
}

/* hazard
trace = '''
    --grid 1 --block 16 --arg m=f32[16,32]:iota --arg weights=f32[32,8]:ones --arg sums=f32[16]:uninit
    --arg pitch=40'''
hazards = [{ kind = "out-of-bounds", array = "m", lines = [8] }]
one_allocation = true
seen = []
unseen = "memcheck: the arrays lie in one allocation, so the wrong address is a valid one, inside another array."
*/
