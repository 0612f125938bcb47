// Whoever comes first sets up a table; the others look at the flag first, and take the lock only where it is not set.
// Broken: the flag is read and written plainly.
extern "C" __global__ void set_up_once_plain_flag(int *lock, int *flag, int *table, int *out)
{
    if (threadIdx.x != 0)
        return;
    if (flag[0] == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        __threadfence();
        if (flag[0] == 0) {
            for (int i = 0; i < 8; i++)
                table[i] = i * i;
            __threadfence();
            flag[0] = 1;
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
hazards = [
    { kind = "data-race", array = "flag", lines = [7, 15] },
    { kind = "data-race", array = "table", lines = [13, 21] },
]
seen = []
unseen = "racecheck watches shared memory only, not global memory."
*/
