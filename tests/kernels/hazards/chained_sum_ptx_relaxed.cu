// Each block adds the sum of the one before it, by loads that acquire and stores that release. Broken: the store is
// relaxed.
extern "C" __global__ void chained_sum_ptx_relaxed(const int *in, int *total, int *ready)
{
    int b = blockIdx.x, t = threadIdx.x;
    int v = in[b * 32 + t];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    if (t == 0) {
        int seen = 0;
        while (b > 0 && seen == 0)
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(ready + b - 1) : "memory");
        total[b] = v + (b > 0 ? total[b - 1] : 0);
        asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" : : "l"(ready + b), "r"(1) : "memory");
    }
}

/* hazard
trace = "--grid 4 --block 32 --arg in=i32[128]:ones --arg total=i32[4]:uninit --arg ready=i32[4]:zeros"
hazards = [{ kind = "data-race", array = "total", lines = [13] }]
seen = []
unseen = "racecheck watches shared memory only, not global memory."
*/
