// Position of a thread's smallest element below a limit. Broken: where there is none, the position was never set.
extern "C" __global__ void first_minimum_unset(const int *in, int *out, int limit)
{
    int t = threadIdx.x, position;
    for (int k = 3; k >= 0; --k)
        if (in[4 * t + k] < limit)
            position = k;
    out[t] = position;
}

/* hazard
trace = "--grid 1 --block 32 --arg in=i32[128]:iota --arg out=i32[32]:uninit --arg limit=100"
hazards = [{ kind = "uninitialised-read", array = "position", lines = [8] }]
seen = []
unseen = "initcheck watches global memory only; a register that nobody set is the compiler's to warn of."
*/
