// Sum of neighbours. Broken: the threads beyond the end return before the barrier.
extern "C" __global__ void barrier_after_early_return(const float *in, float *out, int n)
{
    __shared__ float s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    if (i >= n)
        return;
    s[t] = in[i];
    __syncthreads();
    out[i] = s[t] + s[t ^ 1];
}

/* hazard
trace = "--grid 2 --block 64 --arg in=f32[100]:iota --arg out=f32[100]:uninit --arg n=100"
hazards = [{ kind = "barrier-divergence", array = "", lines = [9] }]
seen = []
unseen = "synccheck: since Volta a barrier waits only for threads that have not returned; on other GPUs the block hangs."
*/
