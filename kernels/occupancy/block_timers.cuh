struct ts_BlockTime { unsigned long long start, end; unsigned sm, unused; };
__device__ ts_BlockTime *ts_block_times;
struct ts_BlockTimer {
    static __device__ __forceinline__ ts_BlockTime &record()
    {
        unsigned long long row = blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z;
        return ts_block_times[blockIdx.x + gridDim.x * row];
    }
    static __device__ __forceinline__ unsigned long long now()
    {
        unsigned long long nanoseconds;
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds) :: "memory");
        return nanoseconds;
    }
    __device__ __forceinline__ ts_BlockTimer()
    {
        if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {
            unsigned sm;
            asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
            record().sm = sm;
            record().start = now();
        }
    }
    __device__ __forceinline__ ~ts_BlockTimer()
    {
        unsigned lane;
        asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
        unsigned long long end = now();
        if (lane == __ffs(__activemask()) - 1)
            atomicMax(&record().end, end);
    }
};
