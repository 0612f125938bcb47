// Warps pay into one account, one after another: a lock with a fence behind its taking and one before its release.
extern "C" __global__ void account_with_lock(const int *amounts, int *lock, int *account)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % 32 != 0)
        return;
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    account[0] += amounts[i / 32];
    account[1] += 1;
    __threadfence();
    atomicExch(lock, 0);
}

/* hazard
trace = "--grid 3 --block 64 --arg amounts=i32[6]:iota --arg lock=i32[1]:zeros --arg account=i32[2]:zeros"
hazards = []
first = { account = [15, 6] }
seen = []
*/
