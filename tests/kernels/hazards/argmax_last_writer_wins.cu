// Position of the largest element. Broken: where it occurs twice, two threads store different positions.
extern "C" __global__ void argmax_last_writer_wins(const int *in, int *out)
{
    __shared__ int where;
    int t = threadIdx.x, best = in[0];
    for (int i = 1; i < 64; ++i)
        best = max(best, in[i]);
    if (in[t] == best)
        where = t;
    __syncthreads();
    if (t == 0)
        out[0] = where;
}

/* hazard
trace = "--grid 1 --block 64 --arg in=i32[64]:mod(32) --arg out=i32[1]:uninit"
hazards = [{ kind = "data-race", array = "where", lines = [9] }]
seen = ["racecheck"]
*/
