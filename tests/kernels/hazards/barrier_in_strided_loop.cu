// Sums of neighbours, chunk by chunk. Broken: in the last chunk only some threads are still in the loop.
extern "C" __global__ void barrier_in_strided_loop(const float *in, float *out, int n)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    for (int i = t; i < n; i += 64) {
        s[t] = in[i];
        __syncthreads();
        out[i] = s[t] + s[t ^ 1];
        __syncthreads();
    }
}

/* hazard
trace = "--grid 1 --block 64 --arg in=f32[100]:iota --arg out=f32[100]:uninit --arg n=100"
hazards = [
    { kind = "barrier-divergence", array = "", lines = [8] },
    { kind = "barrier-divergence", array = "", lines = [10] },
]
seen = []
unseen = "synccheck: since Volta a barrier waits only for threads that have not returned; on other GPUs the block hangs."
*/
