// Stream-K: three blocks share two tiles, each does four of the twelve steps; who began a tile adds what others did
// of it. Broken: the flag is set before all threads have written their part.
extern "C" __global__ void stream_k_flag_before_all_wrote(const int *a, const int *b, int *c, int *parts, int *done)
{
    int t = threadIdx.x;
    int step = blockIdx.x * 4, last = step + 4;
    while (step < last) {
        int tile = step / 6;
        int end = min(last, tile * 6 + 6);
        bool began = step == tile * 6;
        int sum = 0;
        for (; step < end; ++step)
            sum += a[(tile * 6 + step % 6) * 64 + t] * b[step];
        if (!began) {
            parts[blockIdx.x * 64 + t] = sum;
            __threadfence();
            if (t == 0)
                atomicExch(&done[blockIdx.x], 1);
        } else {
            for (int other = blockIdx.x + 1, to = end; to < tile * 6 + 6; ++other, to += 4) {
                if (t == 0) {
                    while (atomicAdd(&done[other], 0) == 0)
                        ;
                    __threadfence();
                }
                __syncthreads();
                sum += parts[other * 64 + t];
            }
            c[tile * 64 + t] = sum;
        }
    }
}

/* hazard
trace = '''
    --grid 3 --block 64 --arg a=i32[768]:ones --arg b=i32[12]:ones --arg c=i32[128]:uninit --arg
    parts=i32[192]:zeros --arg done=i32[3]:zeros'''
hazards = [{ kind = "data-race", array = "parts", lines = [15, 27] }]
seen = []
unseen = "racecheck watches shared memory only, not global memory."
*/
