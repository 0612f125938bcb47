// Hands a value to another thread of the block. Broken: it waits in a loop for a flag instead of at a barrier.
extern "C" __global__ void wait_for_a_thread_of_the_same_block(int *out, volatile int *flag)
{
    int t = threadIdx.x;
    while (flag[0] == 0)
        ;
    if (t == 63)
        flag[0] = 1;
    out[t] = t;
}

/* hazard
trace = "--grid 1 --block 64 --arg out=i32[64]:zeros --arg flag=i32[1]:zeros --max-steps 3000"
hazards = [{ kind = "budget-exceeded", array = "", lines = [5] }]
endless = true
seen = []
unseen = "It never ends on a GPU, so it is not run there."
*/
