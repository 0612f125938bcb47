// Functions on pointers: the memory that a pointer points to, and its address as a number.

// What memory a pointer points to.

__constant__ int table[4];

//: in = zeros(8)
#define WHAT_MEMORY(NAME, ...) \
    __global__ void NAME(const int *in, unsigned *out, int which) { \
        __shared__ int s[8]; int local[2] = {1, 2}; int t = threadIdx.x; s[t] = t; \
        const int *p = which == 0 ? in : which == 1 ? s : which == 2 ? local : table; out[t] = __VA_ARGS__; \
    }
//: which = 0
//: out[t] == 17
WHAT_MEMORY(what_memory_pointer_1,
    __isGlobal(p) + 2 * __isShared(p) + 4 * __isLocal(p) + 8 * __isConstant(p) + 16 * __isGlobal(in) + 32 * __isShared(out) + 64 * __isGridConstant(in))
//: which = 1
//: out[t] == 18
WHAT_MEMORY(what_memory_pointer_2,
    __isGlobal(p) + 2 * __isShared(p) + 4 * __isLocal(p) + 8 * __isConstant(p) + 16 * __isGlobal(in) + 32 * __isShared(out) + 64 * __isGridConstant(in))
//: which = 2
//: out[t] == 20
WHAT_MEMORY(what_memory_pointer_3,
    __isGlobal(p) + 2 * __isShared(p) + 4 * __isLocal(p) + 8 * __isConstant(p) + 16 * __isGlobal(in) + 32 * __isShared(out) + 64 * __isGridConstant(in))
//: which = 3
//: out[t] == 24
WHAT_MEMORY(what_memory_pointer_4,
    __isGlobal(p) + 2 * __isShared(p) + 4 * __isLocal(p) + 8 * __isConstant(p) + 16 * __isGlobal(in) + 32 * __isShared(out) + 64 * __isGridConstant(in))

// Pointers and the numbers of their space.
//: out[t] == (7 - t) * 100 + (7 + t) * 10 + 5
__global__ void pointers_and_the_numbers_of_their_space(int *out) {
    int t = threadIdx.x;
    __shared__ int s[8]; int own = 7 + t;
    s[t] = t; __syncthreads();
    int *p = (int *)__cvta_shared_to_generic(__cvta_generic_to_shared(&s[7 - t]));
    int *q = (int *)__cvta_local_to_generic(__cvta_generic_to_local(&own));
    int *g = (int *)__cvta_global_to_generic(__cvta_generic_to_global(out + t));
    *g = 5; out[t] = *p * 100 + *q * 10 + *g;
}
