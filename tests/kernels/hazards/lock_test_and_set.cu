// Blocks add to one total under a lock.
#include <cuda/atomic>
extern "C" __global__ void lock_test_and_set(int *lock, int *total)
{
    if (threadIdx.x == 0) {
        cuda::atomic_ref<int, cuda::thread_scope_device> l(*lock);
        while (l.exchange(1, cuda::memory_order_acquire) != 0)
            ;
        *total = *total + blockIdx.x;
        l.store(0, cuda::memory_order_release);
    }
}

/* hazard
trace = "--grid 4 --block 32 --arg lock=i32[1]:zeros --arg total=i32[1]:zeros"
hazards = []
first = { total = [6] }
seen = []
*/
