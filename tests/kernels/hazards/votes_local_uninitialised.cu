// Each thread counts how often each of four values occurs in its row. Broken: the counters start as they are.
extern "C" __global__ void votes_local_uninitialised(const int *in, int *winner)
{
    int counts[4];
    int t = threadIdx.x;
    for (int i = 0; i < 8; ++i)
        counts[in[t * 8 + i]]++;
    int best = 0;
    for (int k = 1; k < 4; ++k)
        if (counts[k] > counts[best])
            best = k;
    winner[t] = best;
}

/* hazard
trace = "--grid 1 --block 32 --arg in=i32[32,8]:mod(4) --arg winner=i32[32]:uninit"
hazards = [{ kind = "uninitialised-read", array = "counts", lines = [7] }]
seen = []
unseen = "initcheck watches global memory only, not local memory."
*/
