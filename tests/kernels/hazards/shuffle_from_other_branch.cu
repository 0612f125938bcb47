// Each lane of the lower half takes its neighbour's value. Broken: the last one's neighbour is in the other half.
extern "C" __global__ void shuffle_from_other_branch(const int *in, int *out)
{
    int t = threadIdx.x, x = in[t];
    if (t % 32 < 16)
        x = __shfl_down_sync(0x0000ffff, x, 1);
    out[t] = x;
}

/* hazard
trace = "--grid 1 --block 32 --arg in=i32[32]:iota --arg out=i32[32]:uninit"
hazards = [{ kind = "inactive-shuffle", array = "", lines = [6] }]
seen = []
unseen = "synccheck looks at barriers; what a shuffle gets from a lane that is not there is merely undefined."
*/
