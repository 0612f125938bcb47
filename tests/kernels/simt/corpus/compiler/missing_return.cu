// Functions that end without a return: reported where their value is used.

// Lanes that reach the end are reported.

namespace lanes_reach_end_1 {
__device__ int pick(int i) {
  if (i < 3) return i;
}

//: o = zeros(8)
__global__ void lanes_reach_end_1(int *o) {
    int t = threadIdx.x;
    int r = pick(t); o[t] = r;
//          ^ uninitialised-read x5
}
}

namespace lanes_reach_end_2 {
__device__ int pick(int i) {
  while (i < 3) { if (i == 2) return 7; ++i; }
}

//: o = zeros(8)
__global__ void lanes_reach_end_2(int *o) {
    int t = threadIdx.x;
    int r = pick(t); o[t] = r;
//          ^ uninitialised-read x5
}
}

namespace lanes_reach_end_3 {
__device__ int pick(int i) {
  for (;;) { if (i == 2) return 7; if (i++ > 5) break; }
}

//: o = zeros(8)
__global__ void lanes_reach_end_3(int *o) {
    int t = threadIdx.x;
    int r = pick(t); o[t] = r;
//          ^ uninitialised-read x5
}
}

namespace lanes_reach_end_4 {
__device__ int pick(int i) {
  switch (i) { case 0: return 1; case 1: return 2; }
}

//: o = zeros(8)
__global__ void lanes_reach_end_4(int *o) {
    int t = threadIdx.x;
    int r = pick(t); o[t] = r;
//          ^ uninitialised-read x6
}
}

namespace lanes_reach_end_5 {
__device__ int pick(int i) {
  if (i < 3) return i;
  __syncwarp();
//^ warp-mask x5
}

//: o = zeros(8)
__global__ void lanes_reach_end_5(int *o) {
    int t = threadIdx.x;
    int r = pick(t); o[t] = r;
//          ^ uninitialised-read x5
}
}

// Returning or unused functions are not reported.

namespace returning_or_unused_functions_are_not_reported {
__device__ int pick(int i) {
  if (i < 3) return i;
}

//: o = zeros(8)
#define RETURNING_UNUSED(NAME, ...) \
    __global__ void NAME(int *o) { \
        int t = threadIdx.x; __VA_ARGS__; \
    }
RETURNING_UNUSED(returning_unused_functions_1, pick(t))
RETURNING_UNUSED(returning_unused_functions_2, int unused = pick(t); o[t] = 1)
RETURNING_UNUSED(returning_unused_functions_3, (void)pick(t); o[t] = (pick(t), 2))
RETURNING_UNUSED(returning_unused_functions_4, for (int j = 0; j < 2; pick(t), pick(t)) ++j; pick(t), pick(t))
RETURNING_UNUSED(returning_unused_functions_5, if (t < 3) o[t] = pick(t))
}

namespace returning_unused_functions_6 {
__device__ int pick(int i) {
  if (i < 3) return i; else return 4;
}

//: o = zeros(8)
__global__ void returning_unused_functions_6(int *o) {
    int t = threadIdx.x;
    o[t] = pick(t);
}
}

namespace returning_unused_functions_7 {
__device__ int pick(int i) {
  while (true) { if (i > 6) return i; ++i; }
}

//: o = zeros(8)
__global__ void returning_unused_functions_7(int *o) {
    int t = threadIdx.x;
    o[t] = pick(t);
}
}

namespace returning_unused_functions_8 {
__device__ int pick(int i) {
  switch (i) { case 0: return 1; default: return 2; }
}

//: o = zeros(8)
__global__ void returning_unused_functions_8(int *o) {
    int t = threadIdx.x;
    o[t] = pick(t);
}
}

namespace returning_unused_functions_9 {
__device__ int pick(int i) {
  do { if (i > 2) return 1; } while (++i); return 5;
}

//: o = zeros(8)
__global__ void returning_unused_functions_9(int *o) {
    int t = threadIdx.x;
    o[t] = pick(t);
}
}
