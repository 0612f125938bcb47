// Sum of a block as a tree. Broken: the levels of the tree are not separated.
extern "C" __global__ void block_sum_no_barrier_in_loop(const float *in, float *sums, int n)
{
    __shared__ float s[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int d = 64; d > 0; d /= 2)
        if (t < d)
            s[t] += s[t + d];
    if (t == 0)
        sums[blockIdx.x] = s[0];
}

/* hazard
trace = "--grid 2 --block 128 --arg in=f32[200]:iota --arg sums=f32[2]:uninit --arg n=200"
hazards = [{ kind = "data-race", array = "s", lines = [10] }]
seen = ["racecheck"]
*/
