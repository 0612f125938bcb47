// Copies of whole tiles arrive at a barrier, tensor cores multiply them. Broken: the last ones are read before they arrive.
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

struct alignas(64) Map {
    unsigned long long opaque[16];
};

__device__ void copy_tile(float *to, const Map *map, int x, int y, unsigned barrier)
{
    unsigned address = __cvta_generic_to_shared(to);
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(address), "l"(map), "r"(x), "r"(y), "r"(barrier) : "memory");
}

__device__ void wait(unsigned barrier, int parity)
{
    asm volatile("{\n.reg .pred over;\nagain:\nmbarrier.try_wait.parity.shared.b64 over, [%0], %1;\n"
                 "@!over bra again;\n}" ::"r"(barrier), "r"(parity) : "memory");
}

extern "C" __global__ void tensor_tiles_not_awaited(const float *A, const float *B, float *C, int tiles,
                                  const __grid_constant__ Map a_map, const __grid_constant__ Map b_map)
{
    __shared__ __align__(1024) float a[64 * 32], b[8 * 32];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    unsigned barrier = __cvta_generic_to_shared(&full);
    if (t == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(barrier) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    float d[4];
    for (int n = 0; n < tiles; ++n) {
        if (t == 0) {
            asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(72 * 32 * 4) : "memory");
            copy_tile(a, &a_map, n * 32, 0, barrier);
            copy_tile(b, &b_map, n * 32, 0, barrier);
        }
        if (n < 3)
            wait(barrier, n % 2);
        asm volatile(FENCE ::: "memory");
        for (int j = 0; j < 4; ++j)
            multiply(d, describe(a) + 2 * j, describe(b) + 2 * j, n + j > 0);
        asm volatile(COMMIT ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        C[(t / 32 * 16 + t % 32 / 4 + i / 2 * 8) * 8 + t % 4 * 2 + i % 2] = d[i];
}

/* hazard
trace = '--arch sm_90a --grid 1 --block 128 --arg "A=f32[64,128]:randint(-4,4,1)" --arg "B=f32[8,128]:randint(-4,4,2)" --arg C=f32[64,8]:uninit --arg tiles=4 --arg "a_map=tensor_map(A,32,64,128)" --arg "b_map=tensor_map(B,32,8,128)"'
hazards = [
    { kind = "data-race", array = "a", lines = [16, 29] },
    { kind = "data-race", array = "b", lines = [16, 29] },
]
seen = []
unseen = "Its tools do not know the async proxy"
endless = true
*/
