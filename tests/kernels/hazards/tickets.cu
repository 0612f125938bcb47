// Warps append to a list in the order in which they drew their tickets.
extern "C" __global__ void tickets(int *state, int *list)
{
    if (threadIdx.x % 32 != 0)
        return;
    int mine = atomicAdd(&state[0], 1);
    while (atomicAdd(&state[1], 0) != mine) {
    }
    __threadfence();
    list[mine] = mine == 0 ? 1 : 2 * list[mine - 1];
    __threadfence();
    atomicAdd(&state[1], 1);
}

/* hazard
trace = "--grid 2 --block 96 --arg state=i32[2]:zeros --arg list=i32[6]:uninit"
hazards = []
first = { list = [1, 2, 4, 8, 16, 32] }
seen = []
*/
