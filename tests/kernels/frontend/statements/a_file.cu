#include <stdio.h>
const int W = 4;
enum { RED, BLUE };
__constant__ float table[2] = {1.f, 2.f};
__device__ int counter;
static __device__ __forceinline__ float twice(float x);
static __device__ __forceinline__ float twice(const float x) { return 2 * x; }
extern "C" __global__ void __launch_bounds__(256, 2) first(float *a, int n[], const float (*m)[W]) {}
extern "C" { __global__ __launch_bounds__(128) void second(void) {} }
int main() { first(0, 0, 0); return 0; }
