// Warps pay into one account, one after another: a lock. Broken: it is one for the threads of a
// block, and three blocks take it.
extern "C" __global__ void account_with_lock_of_a_block(const int *amounts, int *lock, int *account)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % 32 != 0)
        return;
    while (atomicCAS_block(lock, 0, 1) != 0) {
    }
    __threadfence();
    account[0] += amounts[i / 32];
    account[1] += 1;
    __threadfence();
    atomicExch_block(lock, 0);
}

/* hazard
trace = "--grid 3 --block 64 --arg amounts=i32[6]:iota --arg lock=i32[1]:zeros --arg account=i32[2]:zeros"
hazards = [
    { kind = "data-race", array = "account", lines = [11] },
    { kind = "data-race", array = "account", lines = [12] },
    { kind = "data-race", array = "lock", lines = [8] },
    { kind = "data-race", array = "lock", lines = [8, 14] },
    { kind = "data-race", array = "lock", lines = [14] },
]
seen = []
unseen = "racecheck watches shared memory only, not global memory."
endless = true
*/
