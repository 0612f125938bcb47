// Pointers: into several arrays, seen as other types, to variables, and swapped.

// Two buffers change places.
//: <<<1, 64>>> every schedule
//: in = arange(64)
//: out[t] == t * (t + 1) / 2
__global__ void two_buffers_change_places(float *out, const float *in) {
    __shared__ float first[64], second[64];
    float *from = first, *to = second;
    int t = threadIdx.x;
    from[t] = in[t];
    __syncthreads();
    for (int step = 1; step < 64; step *= 2) {
      to[t] = t >= step ? from[t] + from[t - step] : from[t];
      __syncthreads();
      float *swap = from; from = to; to = swap;
    }
    out[t] = from[t];
}

// A roaming pointer is checked against the array it is in.
//: a = zeros(3)
//: b = zeros(2)
//: out-of-bounds x1 in b[2]
__global__ void a_roaming_pointer_is_checked_against_the_array_it_is_in(int *out, int *a, int *b) {
    int *p = threadIdx.x ? a : b;
    out[threadIdx.x] = p[2];
}

// A null pointer points to no array.
//: a = zeros(3)
__global__ void a_null_pointer_points_to_no_array(int *a) {
    int *p = 0;
    if (p == nullptr) p = NULL;
    if (p) a[0] = 1;
    *p = 2;
//  ^ out-of-bounds x8: points to no array
}

// Addresses of variables.
#define ADDRESSES_VARIABLES(NAME, ...) \
    __global__ void NAME(int *out) { \
        int t = threadIdx.x; __VA_ARGS__; \
    }
ADDRESSES_VARIABLES(addresses_variables_1, int x = 5; int *p = &x; *p += t; out[t] = x)  //: out[t] == 5 + t
ADDRESSES_VARIABLES(addresses_variables_2, int x = 5; int *p = &x; int **q = &p; **q = t; out[t] = x)  //: out[t] == t
//: out[t] == 43
ADDRESSES_VARIABLES(addresses_variables_3, int a[4] = {1, 2, 3, 4}; int *p = a + 3; out[t] = *p-- * 10 + *p)
//: out[t] == 4
ADDRESSES_VARIABLES(addresses_variables_4, int a[4] = {0}; int *p = a, *q = &a[3]; out[t] = q - p + (q > p))
//: out[t] == [2, 4][t % 2]
ADDRESSES_VARIABLES(addresses_variables_5,
    int *rows[2]; int a[2] = {1, 2}, b[2] = {3, 4}; rows[0] = a; rows[1] = b; out[t] = rows[t % 2][1])

// Bits of a float are seen as an int.
//: in = [0, 0.1428571492433548, 0.2857142984867096, 0.4285714328289032, 0.5714285969734192, 0.7142857313156128, 0.8571428656578064, 1]
//: out == [1.401298464324817e-45, 0.142857164144516, 0.285714328289032, 0.4285714626312256, 0.571428656578064, 0.7142857909202576, 0.8571429252624512, 1.0000001192092896]
__global__ void bits_of_a_float_are_seen_as_an_int(float *out, float *in) {
    int bits = *(int *)&in[threadIdx.x];
    ((unsigned *)out)[threadIdx.x] = bits + 1;
}

// Bytes of a word.
//: in = 16909060 * arange(8)
//: out[t] == 3 * t
__global__ void bytes_of_a_word(unsigned *out, const unsigned *in) {
    const unsigned char *bytes = (const unsigned char *)in;
    out[threadIdx.x] = bytes[4 * threadIdx.x + 1];
}

// A misaligned pointer is told.
//: <<<1, 4>>>
//: in = zeros(16)
__global__ void a_misaligned_pointer_is_told(double *out, float *in) {
    out[threadIdx.x] = *(double *)(in + 2 * threadIdx.x + 1);
//                     ^ misaligned-access x4 in in[1]: must be a multiple of 8
}

// A double is added with compare and swap.

__device__ double add(double *address, double value) {
    unsigned long long *bits = (unsigned long long *)address;
    unsigned long long old = *bits, assumed;
    do {
      assumed = old;
      double sum = value + *(double *)&assumed;
      old = atomicCAS(bits, assumed, *(unsigned long long *)&sum);
    } while (assumed != old);
    return *(double *)&old; }

//: <<<1, 32>>>
//: total = zeros(1)
//: total[t] == 496
__global__ void a_double_is_added_with_compare_and_swap(double *total) {
    add(total, threadIdx.x);
}

// A function that waits gives a value.

__device__ float total(float value) {
    __shared__ float s[64];
    s[threadIdx.x] = value;
    __syncthreads();
    for (int o = 32; o > 0; o /= 2) {
      if (threadIdx.x < o) s[threadIdx.x] += s[threadIdx.x + o];
      __syncthreads();
    }
    return s[0]; }

//: <<<1, 64>>> every schedule
//: out[t] == t - 31.5
__global__ void a_function_that_waits_gives_a_value(float *out) {
    float mean = total(threadIdx.x) / 64;
    out[threadIdx.x] = threadIdx.x - mean;
}

// Barriers that vote.
//: <<<2, 64>>> every schedule
//: out[t] == 1040 + 100 * (t // 64)
__global__ void barriers_that_vote(int *out) {
    int t = threadIdx.x, rounds = 0, left = t;
    int small = __syncthreads_count(t < 10 + (int)blockIdx.x);
    while (__syncthreads_or(left > 0)) { left -= 16; rounds++; }
    if (__syncthreads_and(rounds == 4)) rounds *= 10;
    out[blockIdx.x * 64 + t] = small * 100 + rounds;
}

// Whole blocks may skip a call that waits.

__device__ float turn(int *s, int t, int times) {
    s[t] = t * times; __syncthreads();
    int found = s[31 - t]; __syncthreads();
    return found + (times - 1) * t; }

//: <<<2, 32>>> every schedule
#define WHOLE_BLOCKS(NAME, ...) \
    __global__ void NAME(float *out) { \
        __shared__ int s[32]; int b = blockIdx.x, t = threadIdx.x; out[b * 32 + t] = __VA_ARGS__; \
    }
WHOLE_BLOCKS(whole_blocks_skip_1, b > 0 && turn(s, t, 1) == 7)  //: out[t] == (t // 32) == 1 and (t % 32) == 24
WHOLE_BLOCKS(whole_blocks_skip_2, b == 0 || turn(s, t, 1) == 7)  //: out[t] == (t // 32) == 0 or (t % 32) == 24
WHOLE_BLOCKS(whole_blocks_skip_3, b > 0 ? turn(s, t, 2) : -1)  //: out[t] == 62 - (t % 32) if (t // 32) else -1
//: out[t] == (t % 32) - 62 if (t // 32) else 93.5 - (t % 32)
WHOLE_BLOCKS(whole_blocks_skip_4, b > 0 ? -turn(s, t, 2) : turn(s, t, 3) + 0.5f)
//: out[t] == (t // 32) == 1 and (t % 32) < 11
WHOLE_BLOCKS(whole_blocks_skip_5, b > 0 && (t < 64 && turn(s, t, 1) > 20))
WHOLE_BLOCKS(whole_blocks_skip_6, gridDim.x == 2 ? turn(s, t, 1) : 0)  //: out[t] == 31 - (t % 32)
WHOLE_BLOCKS(whole_blocks_skip_7, gridDim.x == 3 ? turn(s, t, 1) : 5)  //: out[t] == 5
//: out[t] == 2 * (31 - (t % 32)) if (t // 32) else 5
WHOLE_BLOCKS(whole_blocks_skip_8, (b ? turn(s, t, 1) : 2) + (b ? turn(s, t, 1) : 3))
WHOLE_BLOCKS(whole_blocks_skip_9, b > 0 ? __syncthreads_count(t < 9) : -1)  //: out[t] == 9 if (t // 32) else -1

// Some threads that leave out what waits are told.

__device__ int f(int x) { __syncthreads(); return x; }
//                        ^ barrier-divergence x1

__global__ void some_threads_that_leave_out_what_waits_are_told(int *out) {
    out[threadIdx.x] = threadIdx.x > 3 && f(1);
}

// A loop goes on while what waits says so.

__device__ bool any(int *s, int left) {
    if (threadIdx.x == 0) *s = 0;
    __syncthreads();
    if (left > 0) atomicAdd(s, 1);
    __syncthreads(); int n = *s; __syncthreads(); return n > 0; }

//: <<<2, 8>>>
//: out == [200, 200, 200, 200, 200, 200, 200, 200, 204, 204, 204, 204, 204, 204, 204, 204]
__global__ void a_loop_goes_on_while_what_waits_says_so(int *out) {
    __shared__ int s;
    int rounds = 0;
    while (blockIdx.x > 0 && any(&s, threadIdx.x - 2 * rounds)) rounds++;
    for (int i = 0; blockIdx.x == 0 || any(&s, 3 - i); i++) { if (i == 2) break; rounds += 100; }
    out[blockIdx.x * 8 + threadIdx.x] = rounds;
}

// A pointer moves by integers of any type.

__device__ int warp(int size) { return size; }

//: out[t] == 32000 + t + 100 * (t > 3)
__global__ void a_pointer_moves_by_integers_of_any_type(int *out) {
    int a[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    unsigned long long far = threadIdx.x;
    int *p = a + far;
    out[threadIdx.x] = *p + *(a + (threadIdx.x > 3)) * 100 + warp(warpSize) * 1000;
}

// A number that is made a pointer points to no array.
#define NUMBER_MADE(NAME, ...) \
    __global__ void NAME() { \
        __VA_ARGS__ = 42; \
    }
NUMBER_MADE(number_made_pointer_1, *(int *)(0x87654320))
//                                 ^ out-of-bounds x8: points to no array
NUMBER_MADE(number_made_pointer_2, *(int *)(16))
//                                 ^ out-of-bounds x8: points to no array
NUMBER_MADE(number_made_pointer_3, *(int *)(threadIdx.x + 8))
//                                 ^ out-of-bounds x8: points to no array

// A cast to a reference names the place as another type.

struct Four { float v[4]; };

//: <<<1, 1>>>
//: in = arange(4)
//: out = zeros(4)
#define CAST_REFERENCE(NAME, ...) \
    __global__ void NAME(const float *in, float *out) { \
        __VA_ARGS__; \
    }
CAST_REFERENCE(cast_reference_names_1, Four d; (uint4 &)d = *(const uint4 *)in; out[0] = d.v[3])  //: out[0] == 3
CAST_REFERENCE(cast_reference_names_2, Four d = {{5, 6}}; *(uint4 *)out = (const uint4 &)d)  //: out[0] == 5
CAST_REFERENCE(cast_reference_names_3, float f = 1; (int &)f += 1 << 23; out[0] = f)  //: out[0] == 2
//: out[0] == 3
CAST_REFERENCE(cast_reference_names_4, float v[4] = {1, 2, 3, 4}; float4 w = (float4 &)v[0]; out[0] = w.z)
CAST_REFERENCE(cast_reference_names_5, const float &r = (const float &)in[2]; out[0] = r)  //: out[0] == 2
CAST_REFERENCE(cast_reference_names_6, out[0] = (const float &)(in[1] + in[2]))  //: out[0] == 3
