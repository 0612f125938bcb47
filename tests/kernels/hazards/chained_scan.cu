// Each block takes over the sum of the block before it: a chain of scans.
#include <cuda/atomic>
extern "C" __global__ void chained_scan(const int *in, int *out, int *carry, int *ready)
{
    __shared__ int s[64];
    __shared__ int before;
    int t = threadIdx.x, b = blockIdx.x;
    s[t] = in[b * 64 + t];
    __syncthreads();
    for (int d = 1; d < 64; d *= 2) {
        int v = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    if (t == 0) {
        int sum = 0;
        if (b > 0) {
            cuda::atomic_ref<int, cuda::thread_scope_device> other(ready[b - 1]);
            while (other.load(cuda::memory_order_acquire) == 0)
                ;
            sum = carry[b - 1];
        }
        carry[b] = sum + s[63];
        cuda::atomic_ref<int, cuda::thread_scope_device> mine(ready[b]);
        mine.store(1, cuda::memory_order_release);
        before = sum;
    }
    __syncthreads();
    out[b * 64 + t] = s[t] + before;
}

/* hazard
trace = '''
    --grid 4 --block 64 --arg in=i32[256]:ones --arg out=i32[256]:uninit --arg carry=i32[4]:uninit --arg
    ready=i32[4]:zeros'''
hazards = []
first = { out = [1, 2, 3, 4, 5, 6, 7, 8] }
seen = []
*/
