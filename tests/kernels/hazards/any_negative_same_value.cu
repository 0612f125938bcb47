// Tells whether a block has a negative element. Every thread that finds one stores the same 1: it works on today's
// GPUs, but two unordered writes are a race, and C++ promises nothing about it.
extern "C" __global__ void any_negative_same_value(const float *in, int *out)
{
    __shared__ int found;
    int t = threadIdx.x;
    if (t == 0)
        found = 0;
    __syncthreads();
    if (in[t] < 0.0f)
        found = 1;
    __syncthreads();
    if (t == 0)
        out[0] = found;
}

/* hazard
trace = "--grid 1 --block 64 --arg in=f32[64]:random(1) --arg out=i32[1]:uninit"
hazards = [{ kind = "data-race", array = "found", lines = [11], message = "both write the same value" }]
seen = []
unseen = "racecheck: lanes of one instruction that write the same value are no hazard to it."
*/
