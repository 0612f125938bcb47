// Addresses as integers: reinterpret_cast there and back, and generic to shared conversion.

#include <cstdint>

// An address is an unsigned number and a pointer again.
//: bytes = arange(32)
//: row = 1
//: out[t] == 67372036 * t + 50462976
__global__ void an_address_is_an_unsigned_number_and_a_pointer_again(const signed char *bytes, int *out, size_t row) {
    const size_t first = static_cast<size_t>(threadIdx.x) * row;
    const uintptr_t raw = reinterpret_cast<uintptr_t>(bytes) + first * sizeof(int);
    const signed char *at = reinterpret_cast<const signed char *>(raw);
    out[threadIdx.x] = (raw & 3) == 0 ? *reinterpret_cast<const int *>(at) : -1;
}

// A pointer of a union is an address in shared memory.
//: in = arange(32)
//: elsewhere = zeros(8)
//: out[t] == t
__global__ void pointer_union_address_1(const float *in, float *out, float *elsewhere) {
    constexpr int bytes = 16, parts = 4;
    __shared__ float first[8], s[32];
    first[threadIdx.x] = 0;
    union { float *x; float4 *x4; } tile;
    tile.x = s;
    int to = __cvta_generic_to_shared(tile.x) + threadIdx.x * bytes;
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" :: "r"(to), "l"(in + 4 * threadIdx.x), "n"(bytes));
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group %0;" :: "n"(parts / 4 - 1));
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x] + first[0];
}

//: in = arange(32)
//: elsewhere = zeros(8)
__global__ void pointer_union_address_2(const float *in, float *out, float *elsewhere) {
    constexpr int bytes = 16, parts = 4;
    __shared__ float first[8], s[32];
    first[threadIdx.x] = 0;
    union { float *x; float4 *x4; } tile;
    tile.x = threadIdx.x > 3 ? elsewhere : s;
    int to = __cvta_generic_to_shared(tile.x) + threadIdx.x * bytes;
//           ^ error: __cvta_generic_to_shared needs a pointer into shared memory
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" :: "r"(to), "l"(in + 4 * threadIdx.x), "n"(bytes));
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group %0;" :: "n"(parts / 4 - 1));
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x] + first[0];
}
