// Counts values in shared bins. Broken: a warp may count before another warp has set its bins to zero.
extern "C" __global__ void histogram_zeroed_without_barrier(const int *in, int *bins)
{
    __shared__ int mine[64];
    int t = threadIdx.x;
    mine[t] = 0;
    atomicAdd(&mine[in[t]], 1);
    __syncthreads();
    bins[t] = mine[t];
}

/* hazard
trace = "--grid 1 --block 64 --arg in=i32[64]:randint(0,63,3) --arg bins=i32[64]:uninit"
hazards = [{ kind = "data-race", array = "mine", lines = [6, 7] }]
seen = []
unseen = "racecheck: what an atomic meets is not looked at."
*/
