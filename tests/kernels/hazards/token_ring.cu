// A token goes round the blocks; who has it changes the common value.
extern "C" __global__ void token_ring(int *token, int *value, int rounds)
{
    if (threadIdx.x != 0)
        return;
    for (int r = 0; r < rounds; ++r) {
        while (atomicAdd(token, 0) != r * gridDim.x + blockIdx.x)
            ;
        __threadfence();
        value[0] = value[0] * 3 + blockIdx.x;
        __threadfence();
        atomicAdd(token, 1);
    }
}

/* hazard
trace = "--grid 3 --block 32 --arg token=i32[1]:zeros --arg value=i32[1]:zeros --arg rounds=3"
hazards = []
first = { value = [3785] }
seen = []
*/
