// Sum of a block: by shuffles in each warp, then the first warp adds the warps' sums.
extern "C" __global__ void block_sum_two_stages(const float *in, float *out, int rows)
{
    __shared__ float s[4];
    int t = threadIdx.x;
    for (int r = blockIdx.x; r < rows; r += gridDim.x) {
        float v = in[r * 128 + t];
        for (int d = 16; d > 0; d /= 2)
            v += __shfl_down_sync(0xffffffff, v, d);
        if (t % 32 == 0)
            s[t / 32] = v;
        __syncthreads();
        if (t < 32) {
            v = t < 4 ? s[t] : 0.0f;
            for (int d = 2; d > 0; d /= 2)
                v += __shfl_down_sync(0xffffffff, v, d);
            if (t == 0)
                out[r] = v;
        }
        __syncthreads();
    }
}

/* hazard
trace = "--grid 2 --block 128 --arg in=f32[640]:ones --arg out=f32[5]:uninit --arg rows=5"
hazards = []
first = { out = [128.0, 128.0, 128.0, 128.0, 128.0] }
seen = []
*/
