// Blocks add to one total under a lock: the atom.cas that takes it acquires.
extern "C" __global__ void spin_lock_ptx_acquires(int *lock, int *total)
{
    if (threadIdx.x == 0) {
        int taken;
        do {
            asm volatile("atom.acquire.gpu.global.cas.b32 %0, [%1], 0, 1;" : "=r"(taken) : "l"(lock) : "memory");
        } while (taken);
        *total = *total + blockIdx.x;
        asm volatile("st.release.gpu.global.s32 [%0], 0;" : : "l"(lock) : "memory");
    }
}

/* hazard
trace = "--grid 4 --block 32 --arg lock=i32[1]:zeros --arg total=i32[1]:zeros"
hazards = []
first = { total = [6] }
seen = []
*/
