// Nanoseconds of the GPU's global clock (PTX ISA, "%globaltimer").
__device__ __forceinline__ unsigned long long ts_time()
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
}
