__device__ cuda::atomic<unsigned, cuda::thread_scope_device> total;
__global__ void k(const unsigned *in, unsigned *out) {
    __shared__ cuda::atomic<int, cuda::thread_scope_block> inside;
    int t = threadIdx.x;
    if (t == 0) inside.store(3, cuda::std::memory_order_relaxed);
    __syncthreads();
    inside.fetch_add(in[blockIdx.x * 64 + t]);
    total += 2;
    __syncthreads();
    out[blockIdx.x * 64 + t] = inside.load() + (total.load() > 0); }
