// A register without a value may be copied; the report comes where a copy is used, and names that place.

// A copy that is not used is no hazard.

__device__ float add(float x) { return x + 1; }

//: <<<1, 8>>> lockstep shuffle:1 unrecorded
//: A = arange(8)
//: C = zeros(8)
//: n = 2.5
#define COPY_USED(NAME, ...) \
    __global__ void NAME(const int *A, float *C, float n) { \
        int t = threadIdx.x; float a; if (t < 4) a = 1; __VA_ARGS__ \
    }
COPY_USED(copy_used_hazard_1, float b = a;)
COPY_USED(copy_used_hazard_2, float b; b = a; if (t < 4) C[t] = b;)
COPY_USED(copy_used_hazard_3, float b; b = a; if (t < 3) C[t] = b + 1;)
COPY_USED(copy_used_hazard_4, float b = 0; for (int i = 0; i < 3; ++i) { if (t < 4) C[t] += b; b = a; })
COPY_USED(copy_used_hazard_5, float b = 0, c = 0; for (int i = 0; i < 4; ++i) { if (t < 4) C[t] += c; c = b; b = a; })
COPY_USED(copy_used_hazard_6, float b, c; c = b = a; if (t < 2) C[t] = c;)
COPY_USED(copy_used_hazard_7, float b, c; c = a, b = c; if (t < 2) C[t] = b;)
COPY_USED(copy_used_hazard_8, float b; for (b = a; t > 8; ) { } if (t < 4) C[t] = b;)
COPY_USED(copy_used_hazard_9, float b; for (int i = 0; i < 2; ++i, b = a) ; if (t < 4) C[t] = b;)
COPY_USED(copy_used_hazard_10, auto b = a; b = 3; C[t] = b;)
COPY_USED(copy_used_hazard_11, float b = a; if (t >= 4) b = 3; C[t] = b;)
COPY_USED(copy_used_hazard_12, n = a; if (t < 4) C[t] = n;)
COPY_USED(copy_used_hazard_13, float2 p, q; p.y = 2; if (t < 4) p.x = 1; q = p; C[t] = q.y; if (t < 4) C[t] = q.x;)
COPY_USED(copy_used_hazard_14, float2 p; p.y = a; float2 q = p; float r = q.y; if (t < 4) C[t] = r;)
COPY_USED(copy_used_hazard_15, struct S { int i; float f; } p; p.i = A[t]; if (t < 4) p.f = 1; S q = p; C[q.i] = 1;)
COPY_USED(copy_used_hazard_16,
    float b = 1; int i = 0; again: if (t > 2 && i == 0) { i = 1; b = a; goto again; } if (t < 4) C[t] = b;)

// The use of a copy is reported at its place.
//: A = arange(8)
//: C = zeros(8)
//: n = 2.5
#define USE_COPY(NAME, ...) \
    __global__ void NAME(const int *A, float *C, float n) { \
        int t = threadIdx.x; float a; if (t < 4) a = 1; __VA_ARGS__ \
    }
USE_COPY(use_copy_reported_1, float b = a; C[t] = b;)
//                                                ^ uninitialised-read x4 in b
USE_COPY(use_copy_reported_2, float b = a; C[t] = 2 * b;)
//                                                    ^ uninitialised-read x4 in b
USE_COPY(use_copy_reported_3, float b = 3; b = a; C[t] = b;)
//                                                       ^ uninitialised-read x4 in b
USE_COPY(use_copy_reported_4, float b; b = a; if (b > 0) C[t] = 1;)
//                                                ^ uninitialised-read x4 in b
USE_COPY(use_copy_reported_5, float b; if (t != 5) b = a; C[t] = b;)
//                                                               ^ uninitialised-read x4 in b
USE_COPY(use_copy_reported_6, float b = 1; if (t == 5) b = a; C[t] = b;)
//                                                                   ^ uninitialised-read x1 in b
USE_COPY(use_copy_reported_7, float b, c; b = a; c = b; C[t] = c;)
//                                                             ^ uninitialised-read x4 in c
USE_COPY(use_copy_reported_8, float b, c; c = b = a; C[t] = c;)
//                                                          ^ uninitialised-read x4 in c
USE_COPY(use_copy_reported_9, float b = a; int i; if (t < 4) i = 1; int j = i; C[t] = A[j & 7];)
//                                                                                      ^ uninitialised-read x4 in j
USE_COPY(use_copy_reported_10, float b = a; C[t] = add(b);)
//                                                     ^ uninitialised-read x4 in b
USE_COPY(use_copy_reported_11, float b = a; printf("%f", b);)
//                                                       ^ uninitialised-read x4 in b
USE_COPY(use_copy_reported_12, float b = a; b += 1;)
//                                          ^ uninitialised-read x4 in b
USE_COPY(use_copy_reported_13, float b = a; ++b;)
//                                            ^ uninitialised-read x4 in b
USE_COPY(use_copy_reported_14, float b = a; int i = b;)
//                                                  ^ uninitialised-read x4 in b
USE_COPY(use_copy_reported_15, float b; if (b = a) C[t] = 1;)
//                                          ^ uninitialised-read x4 in b
USE_COPY(use_copy_reported_16, float b = a; float c = t < 6 ? b : 0;)
//                                                            ^ uninitialised-read x2 in b
USE_COPY(use_copy_reported_17, float2 p; p.y = 1; if (t < 4) p.x = 1; float2 q = p; C[t] = q.x;)
//                                                                                         ^ uninitialised-read x4 in q.x
USE_COPY(use_copy_reported_18, n = a; C[t] = n;)
//                                           ^ uninitialised-read x4 in n
USE_COPY(use_copy_reported_19, float b = 1; for (int i = 0; i < 2; ++i) { C[t] = b; b = a; })
//                                                                               ^ uninitialised-read x4 in b
