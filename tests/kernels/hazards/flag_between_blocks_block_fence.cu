// One block makes a value, the other one waits for a flag and uses it. Broken: the fence
// between value and flag reaches the own block only.
extern "C" __global__ void flag_between_blocks_block_fence(int *flag, int *value, int *out)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 1) {
        value[0] = 42;
        __threadfence_block();
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
hazards = [{ kind = "data-race", array = "value", lines = [8, 15] }]
seen = []
unseen = "racecheck watches shared memory only, not global memory."
*/
