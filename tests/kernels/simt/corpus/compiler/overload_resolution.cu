// Overloads of CUDA's own functions, and recursion.

// An overload of one of cudas functions calls it.

__device__ long long __shfl(long long x, int lane, int width = warpSize) {
    int low = x, high = x >> 32;
    low = __shfl(low, lane, width);
    high = __shfl(high, lane, width);
    return ((long long)high << 32) | (unsigned)low;
}

//: out[t] == (3 << 33) + 5
__global__ void an_overload_of_one_of_cudas_functions_calls_it(long long *out) {
    out[threadIdx.x] = __shfl(((long long)threadIdx.x << 33) + 5, 3);
}

// Recursion is refused at the call.

__device__ int f(int n) { return n < 2 ? 1 : f(n - 1); }
//                                           ^ error: not supported: recursion: f calls itself; write it as a loop
__device__ int max(int a, int b, int c) { return f(a) + max(b, c); }

//: out = unwritten(1)
__global__ void recursion_is_refused_at_the_call(int *out) {
    out[0] = max(1, 2, 3);
}
