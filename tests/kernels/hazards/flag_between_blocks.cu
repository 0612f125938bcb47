// One block makes a value, the other one waits for a flag and uses it. The fence comes between value and flag.
extern "C" __global__ void flag_between_blocks(int *flag, int *value, int *out)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 1) {
        value[0] = 42;
        __threadfence();
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {
        }
        __threadfence();
        out[0] = value[0] + 1;
    }
}

/* hazard
trace = "--grid 2 --block 32 --arg flag=i32[1]:zeros --arg value=i32[1]:zeros --arg out=i32[1]:uninit"
hazards = []
first = { out = [43] }
seen = []
*/
