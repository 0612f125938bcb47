// Whoever comes first sets up a table; the others look at the flag first, and take the lock only where it is not set.
extern "C" __global__ void set_up_once(int *lock, int *flag, int *table, int *out)
{
    if (threadIdx.x != 0)
        return;
    if (atomicAdd(flag, 0) == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        __threadfence();
        if (atomicAdd(flag, 0) == 0) {
            for (int i = 0; i < 8; i++)
                table[i] = i * i;
            __threadfence();
            atomicExch(flag, 1);
        }
        __threadfence();
        atomicExch(lock, 0);
    }
    __threadfence();
    out[blockIdx.x] = table[blockIdx.x];
}

/* hazard
trace = '''
    --grid 6 --block 32 --arg lock=i32[1]:zeros --arg flag=i32[1]:zeros --arg table=i32[8]:uninit
    --arg out=i32[6]:uninit'''
hazards = []
first = { out = [0, 1, 4, 9, 16, 25] }
seen = []
*/
