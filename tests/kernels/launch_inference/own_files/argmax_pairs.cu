#include <cfloat>

constexpr int kThreads = 128;

// largest value of each row of scores, and where it is
__global__ void argmax_kernel(const float* scores, int num_classes, float* best_value, int* best_index)
{
    __shared__ float vals[kThreads];
    __shared__ int   idxs[kThreads];

    const float* s = scores + (long long)blockIdx.x * num_classes;
    float v = -FLT_MAX;
    int   k = -1;
    for (int i = threadIdx.x; i < num_classes; i += kThreads) {
        if (s[i] > v) { v = s[i]; k = i; }
    }
    vals[threadIdx.x] = v;
    idxs[threadIdx.x] = k;
    __syncthreads();

    for (int off = kThreads / 2; off > 0; off >>= 1) {
        if (threadIdx.x < off && vals[threadIdx.x + off] > vals[threadIdx.x]) {
            vals[threadIdx.x] = vals[threadIdx.x + off];
            idxs[threadIdx.x] = idxs[threadIdx.x + off];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        best_value[blockIdx.x] = vals[0];
        best_index[blockIdx.x] = idxs[0];
    }
}
