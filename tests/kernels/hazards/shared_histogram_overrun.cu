// Counts letters in shared memory. Broken: there are characters beyond the 32 that follow 'a'.
extern "C" __global__ void shared_histogram_overrun(const unsigned char *text, int *bins)
{
    __shared__ int mine[32];
    int t = threadIdx.x;
    if (t < 32)
        mine[t] = 0;
    __syncthreads();
    atomicAdd(&mine[text[t] - 'a'], 1);
    __syncthreads();
    if (t < 32)
        bins[t] = mine[t];
}

/* hazard
trace = "--grid 1 --block 64 --arg text=u8[64]:randint(97,200,1) --arg bins=i32[32]:uninit"
hazards = [{ kind = "out-of-bounds", array = "mine", lines = [9] }]
seen = ["memcheck"]
*/
