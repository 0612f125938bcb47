// Four warps multiply on tensor cores. Broken: the tile is overwritten while it is read.
#define FENCE "wgmma.fence.sync.aligned;"
#define COMMIT "wgmma.commit_group.sync.aligned;"
__device__ unsigned long long describe(const float *tile)  // rows of 128 bytes, swizzled by as many
{
    return __cvta_generic_to_shared(tile) / 16 | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

__device__ int place(int row, int k)
{
    return row * 32 + (k / 4 ^ row % 8) * 4 + k % 4;
}

__device__ void multiply(float (&d)[4], unsigned long long a, unsigned long long b, int add)
{
    asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %6, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%0, %1, %2, %3}, %4, %5, add, 1, 1;\n}"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(a), "l"(b), "r"(add));
}

extern "C" __global__ void wgmma_tile_waits_at_the_end(const float *A, const float *B, float *C, int tiles)
{
    __shared__ __align__(1024) float a[64 * 32], b[8 * 32];
    int t = threadIdx.x;
    float d[4];
    for (int n = 0; n < tiles; ++n) {
        for (int i = t; i < 64 * 32; i += 128)
            a[place(i / 32, i % 32)] = A[(i / 32 * tiles + n) * 32 + i % 32];
        for (int i = t; i < 8 * 32; i += 128)
            b[place(i / 32, i % 32)] = B[(i / 32 * tiles + n) * 32 + i % 32];
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        asm volatile(FENCE ::: "memory");
        for (int j = 0; j < 4; ++j)
            multiply(d, describe(a) + 2 * j, describe(b) + 2 * j, n + j > 0);
        asm volatile(COMMIT ::: "memory");
        // too late
        __syncthreads();
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int i = 0; i < 4; ++i)
        C[(t / 32 * 16 + t % 32 / 4 + i / 2 * 8) * 8 + t % 4 * 2 + i % 2] = d[i];
}

/* hazard
trace = '--arch sm_90a --grid 1 --block 128 --arg "A=f32[64,128]:randint(-4,4,1)" --arg "B=f32[8,128]:randint(-4,4,2)" --arg C=f32[64,8]:uninit --arg tiles=4'
hazards = [
    { kind = "data-race", array = "a", lines = [16, 29] },
    { kind = "data-race", array = "b", lines = [16, 31] },
]
seen = []
unseen = "Its tools do not know the async proxy"
endless = true
*/
