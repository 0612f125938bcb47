// Smooths until no element of the block changes any more; all threads decide together.
extern "C" __global__ void jacobi_until_all_agree(int *a, int *rounds)
{
    __shared__ int s[64];
    int t = threadIdx.x, count = 0, changed = 1;
    s[t] = a[t];
    while (__syncthreads_or(changed)) {
        int best = max(s[t], max(s[max(t - 1, 0)], s[min(t + 1, 63)]));
        changed = best != s[t];
        __syncthreads();
        s[t] = best;
        ++count;
    }
    a[t] = s[t];
    if (t == 0)
        rounds[0] = count;
}

/* hazard
trace = "--grid 1 --block 64 --arg a=i32[64]:mod(9) --arg rounds=i32[1]:uninit"
hazards = []
seen = []
first = { a = [8, 8, 8, 8, 8, 8, 8, 8], rounds = [9] }
*/
