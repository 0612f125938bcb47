// Keeps the elements above a limit, in order, each warp in its own part of the result: rank by counting bits.
extern "C" __global__ void compact_with_ballot(const int *in, int *out, int *count, int limit)
{
    int t = threadIdx.x, lane = t % 32, x = in[t];
    unsigned int keep = __ballot_sync(0xffffffffu, x > limit);
    if (x > limit)
        out[t - lane + __popc(keep & ((1u << lane) - 1u))] = x;
    if (lane == 0)
        count[t / 32] = __popc(keep);
}

/* hazard
trace = '''
    --grid 1 --block 64 --arg in=i32[64]:mod(5) --arg out=i32[64]:zeros --arg count=i32[2]:uninit --arg limit=2'''
hazards = []
seen = []
first = { out = [3, 4, 3, 4, 3, 4, 3, 4], count = [12, 13] }
*/
