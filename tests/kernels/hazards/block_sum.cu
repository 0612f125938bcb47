// Sum of a block's elements as a tree in shared memory.
extern "C" __global__ void block_sum(const float *in, float *sums, int n)
{
    __shared__ float s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int d = 32; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        sums[blockIdx.x] = s[0];
}

/* hazard
trace = "--grid 2 --block 64 --arg in=f32[100]:iota --arg sums=f32[2]:uninit --arg n=100"
hazards = []
seen = []
first = { sums = [2016, 2934] }
*/
