// Warps append to a list in the order in which they drew their tickets. Broken: the number that is served is
// raised without an atomic.
extern "C" __global__ void tickets_served_plainly(int *state, int *list)
{
    if (threadIdx.x % 32 != 0)
        return;
    int mine = atomicAdd(&state[0], 1);
    while (atomicAdd(&state[1], 0) != mine) {
    }
    __threadfence();
    list[mine] = mine == 0 ? 1 : 2 * list[mine - 1];
    __threadfence();
    state[1] = mine + 1;
}

/* hazard
trace = "--grid 2 --block 96 --arg state=i32[2]:zeros --arg list=i32[6]:uninit"
hazards = [
    { kind = "data-race", array = "list", lines = [11] },
    { kind = "data-race", array = "state", lines = [8, 13] },
    { kind = "data-race", array = "state", lines = [13] },
]
seen = []
unseen = "racecheck watches shared memory only, not global memory."
*/
