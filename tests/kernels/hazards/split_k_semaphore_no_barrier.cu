// Split-K with a semaphore as CUTLASS has it: loads that acquire, a reduction that releases. Broken: the turn is
// handed on before all threads have added.
extern "C" __global__ void split_k_semaphore_no_barrier(const float *a, float *c, int *turn)
{
    int t = threadIdx.x, k = blockIdx.x;
    float sum = a[k * 64 + t];
    int state = -1;
    while (__syncthreads_and(state != k)) {
        if (t == 0)
            asm volatile("ld.global.acquire.gpu.b32 %0, [%1];" : "=r"(state) : "l"(turn));
    }
    __syncthreads();
    c[t] = k == 0 ? sum : c[t] + sum;
    if (t == 0)
        asm volatile("st.global.release.gpu.b32 [%0], %1;" : : "l"(turn), "r"(k + 1));
}

/* hazard
trace = "--grid 3 --block 64 --arg a=f32[192]:ones --arg c=f32[64]:uninit --arg turn=i32[1]:zeros"
hazards = [{ kind = "data-race", array = "c", lines = [13] }]
seen = []
unseen = "racecheck watches shared memory only, not global memory."
*/
