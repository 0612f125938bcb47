#include <math.h>

namespace attn {

// In-place causal softmax over the scores of (B, NH, T, T); one warp for each row.
// Row t of a head only sees columns 0..t, the others become zero.
template <int WarpsPerBlock>
__global__ void causal_softmax(float *att, const float scale, const int B, const int NH, const int T)
{
    const int lane = threadIdx.x;                       // 0..31
    const int row = blockIdx.x * WarpsPerBlock + threadIdx.y;
    if (row >= B * NH * T)
        return;
    const int t = row % T;
    float *a = att + (long)row * T;

    float maxval = -INFINITY;
    for (int c = lane; c <= t; c += 32)
        maxval = fmaxf(maxval, a[c] * scale);
    for (int offset = 16; offset > 0; offset /= 2)
        maxval = fmaxf(maxval, __shfl_xor_sync(0xffffffff, maxval, offset));

    float sum = 0.0f;
    for (int c = lane; c <= t; c += 32)
        sum += expf(a[c] * scale - maxval);
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, offset);

    const float inv = sum > 0.0f ? 1.0f / sum : 0.0f;
    for (int c = lane; c < T; c += 32)
        a[c] = c <= t ? expf(a[c] * scale - maxval) * inv : 0.0f;
}

}  // namespace attn

void causal_softmax_forward(float *att, int B, int NH, int T, int HS)
{
    constexpr int warps = 4;
    dim3 block(32, warps);
    int rows = B * NH * T;
    attn::causal_softmax<warps><<<(rows + warps - 1) / warps, block>>>(att, 1.0f / sqrtf((float)HS), B, NH, T);
}
