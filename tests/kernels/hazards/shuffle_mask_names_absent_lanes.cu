// Pairs in the lower half of a warp. Broken: the mask promises that all 32 lanes come, and half of them do not.
extern "C" __global__ void shuffle_mask_names_absent_lanes(const int *in, int *out)
{
    int t = threadIdx.x, x = in[t];
    if (t % 32 < 16)
        x += __shfl_xor_sync(0xffffffff, x, 1);
    out[t] = x;
}

/* hazard
trace = "--grid 1 --block 32 --arg in=i32[32]:iota --arg out=i32[32]:uninit"
hazards = [{ kind = "warp-mask", array = "", lines = [6] }]
seen = []
unseen = "synccheck looks at barriers; the hardware waits for the named lanes, or for their end."
*/
