// Smooths until an element changes no more. Broken: each thread leaves the loop on its own, past the barriers.
extern "C" __global__ void relax_with_own_break(int *a)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    for (int round = 0; round < 8; ++round) {
        if (round > a[t])
            break;
        s[t] += round;
        __syncthreads();
    }
    a[t] = s[t];
}

/* hazard
trace = "--grid 1 --block 64 --arg a=i32[64]:mod(9)"
hazards = [{ kind = "barrier-divergence", array = "", lines = [11] }]
seen = ["synccheck"]
*/
