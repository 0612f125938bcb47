// A register without a value may be stored in shared or local memory; the report comes where the element is read.

// A store that is not read is no hazard.

__device__ void put(float *p, int i) { float x; if (i < 4) x = i + 1; p[i] = x; }

//: <<<1, 8>>> lockstep shuffle:1 unrecorded
//: A = arange(8)
//: C = zeros(8)
#define STORE_READ(NAME, ...) \
    __global__ void NAME(const int *A, float *C) { \
        int t = threadIdx.x; __shared__ float s[8], u[8]; float a; if (t < 4) a = t + 1; __VA_ARGS__ \
    }
STORE_READ(store_read_hazard_1, s[t] = a; if (t < 4) C[t] = s[t];)
STORE_READ(store_read_hazard_2, s[t] = a; __syncthreads(); if (t >= 4) C[t] = s[7 - t];)
STORE_READ(store_read_hazard_3, s[A[t]] = a; if (t < 4) C[t] = s[A[t]];)
STORE_READ(store_read_hazard_4, float v[2]; v[1] = a; if (t < 4) C[t] = v[1];)
STORE_READ(store_read_hazard_5, float v[3] = {1, 2, 3}; v[1] = a; C[t] = v[0] + v[2];)
STORE_READ(store_read_hazard_6, float b = a; float *p = &b; if (t < 4) C[t] = *p;)
STORE_READ(store_read_hazard_7, float b; float *p = &b; b = a; if (t < 4) C[t] = *p;)
STORE_READ(store_read_hazard_8, float *p = t % 2 ? s : u; p[t] = a; if (t < 4) C[t] = p[t];)
STORE_READ(store_read_hazard_9, float *p = t < 4 ? C : s; p[t] = a;)
STORE_READ(store_read_hazard_10, put(s, t); if (t < 4) C[t] = s[t];)
STORE_READ(store_read_hazard_11, s[t] = u[t] = a; if (t < 4) C[t] = s[t] + u[t];)
STORE_READ(store_read_hazard_12, float b = s[t] = a; if (t < 4) C[t] = b;)
STORE_READ(store_read_hazard_13, float b; s[t] = b = a; if (t < 4) C[t] = s[t] + b;)
STORE_READ(store_read_hazard_14, s[t] = a, u[t] = a; if (t < 4) C[t] = s[t];)
STORE_READ(store_read_hazard_15, for (int i = 0; i < 8; ++i, s[t] = a) ; if (t < 4) C[t] = s[t];)
STORE_READ(store_read_hazard_16,
    __shared__ float2 p[8]; float2 q; q.x = t; q.y = a; p[t] = q; if (t < 4) C[t] = p[t].y; C[t] = p[t].x;)
STORE_READ(store_read_hazard_17,
    struct S { char c; double d; }; __shared__ S p[8]; S q; q.c = 1; if (t < 4) q.d = a; p[t] = q; C[t] = p[t].c;)
STORE_READ(store_read_hazard_18, __shared__ struct { int n; float f; } p[8]; p[t].n = 1; p[t].f = a; C[t] = p[t].n;)
STORE_READ(store_read_hazard_19, s[t] = a; s[t] = 2; C[t] = s[t];)
STORE_READ(store_read_hazard_20, s[t] = a; if (t >= 4) s[t] = 2; C[t] = s[t];)
STORE_READ(store_read_hazard_21, s[t] = a; __syncthreads(); s[7 - t] = t; __syncthreads(); C[t] = s[t];)
STORE_READ(store_read_hazard_22,
    s[t] = 1; __syncthreads(); C[t] = s[7 - t]; __syncthreads(); s[t] = a; __syncthreads(); if (t < 4) s[t + 4] = 1;
    __syncthreads(); C[t] = s[7 - t];)
STORE_READ(store_read_hazard_23,
    for (int i = 0; i < 3; ++i) { s[t] = t; __syncthreads(); C[t] += s[7 - t]; __syncthreads(); s[t] = a; })
STORE_READ(store_read_hazard_24, if (t < 6) s[t] = 1; if (t == 7) s[t] = a; if (t < 6) C[t] = s[t];)
STORE_READ(store_read_hazard_25,
    float v[2]; for (int i = 0; i < 3; ++i) { v[i % 2] = t; C[t] += v[i % 2]; v[i % 2] = a; })

// The read of such an element is reported.
//: <<<1, 8>>> unrecorded
//: A = arange(8)
//: C = zeros(8)
#define READ_SUCH(NAME, ...) \
    __global__ void NAME(const int *A, float *C) { \
        int t = threadIdx.x; __shared__ float s[8], u[8]; float a; if (t < 4) a = t + 1; __VA_ARGS__ \
    }
//: uninitialised-read x4 in s[4]
READ_SUCH(read_such_element_1, s[t] = a; C[t] = s[t];)
//: uninitialised-read x4 in s[4]
READ_SUCH(read_such_element_2, s[A[t]] = a; C[t] = s[A[t]];)
//: uninitialised-read x3 in s[7]
READ_SUCH(read_such_element_3, s[t] = a; __syncthreads(); if (t < 3) C[t] = s[7 - t];)
//: uninitialised-read x4 in s[4]
READ_SUCH(read_such_element_4, s[t] = 1; C[t] = s[t]; s[t] = a; C[t] = s[t];)
//: uninitialised-read x2 in s[4]
READ_SUCH(read_such_element_5, s[t] = 1; if (t < 6) s[t] = a; C[t] = s[t];)
//: uninitialised-read x1 in s[5]
READ_SUCH(read_such_element_6, s[t] = a; if (t != 5) s[t] = 1; C[t] = s[t];)
//: uninitialised-read x4 in v[1]
READ_SUCH(read_such_element_7, float v[2]; v[0] = 1; v[1] = a; C[t] = v[0] + v[1];)
//: uninitialised-read x2 in v[1]
READ_SUCH(read_such_element_8, float v[2] = {1, 2}; v[1] = a; C[t] = v[A[t] % 2];)
//: uninitialised-read x4 in b[0]
READ_SUCH(read_such_element_9, float b = a; float *p = &b; C[t] = *p;)
//: uninitialised-read x1 in s[5]
READ_SUCH(read_such_element_10, float *p = t % 2 ? s : u; p[t] = a; if (t == 5) C[t] = p[t];)
//: uninitialised-read x4 in s[4]
READ_SUCH(read_such_element_11, put(s, t); C[t] = s[t];)
//: uninitialised-read x4 in s[4]
READ_SUCH(read_such_element_12, s[t] = a; float b = s[t];)
//: uninitialised-read x4 in s[4]
READ_SUCH(read_such_element_13, s[t] = a; s[t] += 1;)
//: uninitialised-read x4 in s[4]
READ_SUCH(read_such_element_14, s[t] = a; atomicAdd(&s[t], 1);)
//: uninitialised-read x4 in u[4]
READ_SUCH(read_such_element_15, s[t] = u[t] = a; C[t] = u[t];)
//: uninitialised-read x4 in p[9]
READ_SUCH(read_such_element_16, __shared__ float2 p[8]; float2 q; q.x = 1; q.y = a; p[t] = q; C[t] = p[t].y;)
//: uninitialised-read x4 in p[16]
READ_SUCH(read_such_element_17,
    __shared__ float4 p[8]; float4 q; q.x = q.y = q.z = 1; q.w = a; p[t] = q; float4 r = p[t];)
//: uninitialised-read x4 in s[4]
READ_SUCH(read_such_element_18,
    for (int i = 0; i < 3; ++i) { if (i == 2) C[t] = s[t]; s[t] = i; if (i == 1) s[t] = a; })
//: uninitialised-read x8 in w[0]
READ_SUCH(read_such_element_19,
    __shared__ float w; if (t == 0) w = 0; __syncwarp(); if (t == 6) w = a; __syncwarp(); C[t] = w;)

// Other stores are uses.
//: A = arange(8)
//: C = zeros(8)
#define OTHER_STORES(NAME, ...) \
    __global__ void NAME(const int *A, float *C) { \
        int t = threadIdx.x; __shared__ float s[8], u[8]; float a; if (t < 4) a = t + 1; __VA_ARGS__; \
    }
OTHER_STORES(other_stores_uses_1, C[t] = a)
//                                       ^ uninitialised-read x4 in a
OTHER_STORES(other_stores_uses_2, float *p = t < 2 ? s : C; p[t] = a)
//                                                                 ^ uninitialised-read x4 in a
OTHER_STORES(other_stores_uses_3, s[t] = 2 * a)
//                                           ^ uninitialised-read x4 in a
OTHER_STORES(other_stores_uses_4, int b; if (t < 4) b = 1; s[t] = b)
//                                                                ^ uninitialised-read x4 in b
OTHER_STORES(other_stores_uses_5, if (s[t] = a) C[t] = 1)
//                                           ^ uninitialised-read x4 in a
OTHER_STORES(other_stores_uses_6, float v[2] = {1, a})
//                                                 ^ uninitialised-read x4 in a
OTHER_STORES(other_stores_uses_7, __shared__ int *p[8]; int *q; if (t < 4) q = const_cast<int *>(A); p[t] = q)
//                                                                                                          ^ uninitialised-read x4 in q

// An index outside is reported once and marks nothing.
//: A = arange(8)
//: C = zeros(8)
__global__ void an_index_outside_is_reported_once_and_marks_nothing(const int *A, float *C) {
    int t = threadIdx.x;
    __shared__ float s[8], u[8]; float a; if (t < 4) a = t + 1;
    s[t] = 1;
    __syncthreads();
    s[t + 2] = a;
//  ^ out-of-bounds x2
    __syncthreads();
    if (t < 6) C[t] = s[t];
}

// The new values are stored.
//: A = arange(8)
//: C = zeros(8)
//: C == [1, 2, 3, 4, 0, 0, 0, 0]
__global__ void the_new_values_are_stored(const int *A, float *C) {
    int t = threadIdx.x;
    __shared__ float s[8], u[8]; float a; if (t < 4) a = t + 1;
    s[t] = a; if (t < 4) C[t] = s[t];
}

// An element of a constant array cannot be assigned.
//: A = arange(8)
//: C = zeros(8)
__global__ void an_element_of_a_constant_array_cannot_be_assigned(const int *A, float *C) {
    int t = threadIdx.x;
    __shared__ float s[8], u[8]; float a; if (t < 4) a = t + 1;
    const float *p = s; p[t] = a;
//                      ^ error: this is const or a whole array: it cannot be assigned
}
