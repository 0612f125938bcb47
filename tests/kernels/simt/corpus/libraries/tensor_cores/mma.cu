// Tensor cores in PTX, against fragment layouts written out from the PTX ISA's tables.

// Hazards and refusals.
//: <<<1, 32>>>
#define HAZARDS_REFUSALS(NAME, ...) \
    __global__ void NAME() { \
        __shared__ half tile[128]; int t = threadIdx.x; unsigned r, at = __cvta_generic_to_shared(tile + 8 * (t % 8)); \
        __VA_ARGS__ volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(at)); \
    }
//: warp-mask x1: calls ldmatrix without lane 16 of its warp
HAZARDS_REFUSALS(hazards_refusals_1,
    tile[t] = tile[t + 32] = tile[t + 64] = tile[t + 96] = 1; __syncwarp(); if (t < 16) asm)
//: misaligned-access x8: must be a multiple of 16
HAZARDS_REFUSALS(hazards_refusals_2,
    tile[t] = tile[t + 32] = tile[t + 64] = tile[t + 96] = 1; __syncwarp(); at += 2; asm)
//: uninitialised-read x8: reads tile[0]
HAZARDS_REFUSALS(hazards_refusals_3, asm)

// Refusals.
//: <<<1, 32>>>
#define REFUSALS(NAME, ...) \
    __global__ void NAME() { \
        __shared__ half s[64]; unsigned r = 0; __VA_ARGS__; \
    }
//: error: {%0} must name 4 of the asm's
REFUSALS(refusals_1,
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0}, {%0}, {%0}, {%0};" : "+r"(r)))
//: error: mma.sync.aligned.m16n8k32
REFUSALS(refusals_2,
    asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0}, {%0}, {%0}, {%0};" : "+r"(r)))
//: error: not supported: ptx instruction 'mma.sync.aligned.m8n8k16
REFUSALS(refusals_3, asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0}, {%0}, {%0}, {%0};" : "+r"(r)))
//: error: not supported: mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32; use factors
REFUSALS(refusals_4,
    asm volatile("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0}, {%0}, {%0}, {%0};" : "+r"(r)))
//: error: mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32; use factors f16 (k8, k16), bf16 (k16), tf32 (k8)
REFUSALS(refusals_5,
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0}, {%0}, {%0}, {%0};" : "+r"(r)))
//: error: mma.sync.aligned.m16n8k16.row.col.satfinite
REFUSALS(refusals_6,
    asm volatile("mma.sync.aligned.m16n8k16.row.col.satfinite.f32.f16.f16.f32 {%0}, {%0}, {%0}, {%0};" : "+r"(r)))
//: error: not supported: ptx instruction 'ldmatrix.sync.aligned.m16n16.x1.shared.b8
REFUSALS(refusals_7, asm volatile("ldmatrix.sync.aligned.m16n16.x1.shared.b8 {%0}, [%0];" : "+r"(r)))
//: error: use m8n8 with x1, x2 or x4
REFUSALS(refusals_8, asm volatile("ldmatrix.sync.aligned.m8n8.x3.shared.b16 {%0}, [%0];" : "+r"(r)))
//: error: {%0} must name 2 of the asm's operands
REFUSALS(refusals_9, asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0}, [%0];" : "+r"(r)))

// A matrix is loaded from a generic address.
//: <<<1, 32>>>
//: in = arange(64)
//: out = zeros(32)
//: out == [1006632960, 1107312640, 1157645312, 1191200256, 1216366592, 1233144064, 1249921536, 1266699008, 1279282176, 1287670912, 1296059648, 1304448384, 1312837120, 1321225856, 1329614592, 1338003328, 1344294912, 1348489280, 1352683648, 1356878016, 1361072384, 1365266752, 1369461120, 1373655488, 1377849856, 1382044224, 1386238592, 1390432960, 1394627328, 1398821696, 1403016064, 1407210432]
//: data-race
__global__ void a_matrix_is_loaded_from_a_generic_address(const half *in, unsigned *out) {
    __shared__ half unused[8], tile[8][8];
    int t = threadIdx.x;
    unused[t % 8] = 0;
    for (int i = t; i < 64; i += 32) (&tile[0][0])[i] = in[i];
    __syncwarp();
    unsigned r;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.b16 {%0}, [%1];" : "=r"(r) : "l"(&tile[t % 8][0]));
    out[t] = r;
}
