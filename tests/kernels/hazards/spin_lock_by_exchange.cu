// Blocks add to one total under a lock. Broken: no fence stands behind the loop that takes it.
extern "C" __global__ void spin_lock_by_exchange(int *lock, int *total)
{
    if (threadIdx.x == 0) {
        while (atomicExch(lock, 1) != 0)
            ;
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
