// Blocks add to one total under a lock. Broken: no fence stands behind the atom.cas, which is a relaxed one.
extern "C" __global__ void spin_lock_ptx(int *lock, int *total)
{
    if (threadIdx.x == 0) {
        int taken;
        do {
            asm volatile("atom.global.cas.b32 %0, [%1], 0, 1;" : "=r"(taken) : "l"(lock) : "memory");
        } while (taken);
        *total = *total + blockIdx.x;
        __threadfence();
        atomicExch(lock, 0);
    }
}

/* hazard
trace = "--grid 4 --block 32 --arg lock=i32[1]:zeros --arg total=i32[1]:zeros"
hazards = [{ kind = "data-race", array = "total", lines = [9] }]
seen = []
unseen = "racecheck watches shared memory only, not global memory."
*/
