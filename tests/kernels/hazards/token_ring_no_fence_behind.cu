// A token goes round the blocks; who has it changes the common value. Broken: no fence comes in front of the token's
// next place.
extern "C" __global__ void token_ring_no_fence_behind(int *token, int *value, int rounds)
{
    if (threadIdx.x != 0)
        return;
    for (int r = 0; r < rounds; ++r) {
        while (atomicAdd(token, 0) != r * gridDim.x + blockIdx.x)
            ;
        __threadfence();
        value[0] = value[0] * 3 + blockIdx.x;
        atomicAdd(token, 1);
    }
}

/* hazard
trace = "--grid 3 --block 32 --arg token=i32[1]:zeros --arg value=i32[1]:zeros --arg rounds=3"
hazards = [{ kind = "data-race", array = "value", lines = [11] }]
seen = []
unseen = "racecheck watches shared memory only, not global memory."
*/
