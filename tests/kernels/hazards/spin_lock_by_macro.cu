// Blocks add to one total under a lock that a macro takes. Broken: no fence stands behind it.
#define TAKE(lock) while (atomicCAS(lock, 0, 1) != 0)
extern "C" __global__ void spin_lock_by_macro(int *lock, int *total)
{
    if (threadIdx.x == 0) {
        TAKE(lock);
        *total = *total + blockIdx.x;
        __threadfence();
        atomicExch(lock, 0);
    }
}

/* hazard
trace = "--grid 4 --block 32 --arg lock=i32[1]:zeros --arg total=i32[1]:zeros"
hazards = [{ kind = "data-race", array = "total", lines = [7] }]
seen = []
unseen = "racecheck watches shared memory only, not global memory."
*/
