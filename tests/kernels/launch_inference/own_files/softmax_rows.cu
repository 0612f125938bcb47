#include <cmath>

template <typename T>
struct MaxOp { __device__ T operator()(T a, T b) const { return a > b ? a : b; } };
template <typename T>
struct SumOp { __device__ T operator()(T a, T b) const { return a + b; } };

template <typename T, int BLOCK, typename Op>
__device__ T block_reduce(T v, Op op)
{
    __shared__ T buf[BLOCK];
    buf[threadIdx.x] = v;
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s /= 2) {
        if (threadIdx.x < s)
            buf[threadIdx.x] = op(buf[threadIdx.x], buf[threadIdx.x + s]);
        __syncthreads();
    }
    T result = buf[0];
    __syncthreads();
    return result;
}

// One block per row
template <typename T, int BLOCK>
__global__ void softmax_kernel(const T* x, T* y, int cols)
{
    const T* row_in = x + blockIdx.x * cols;
    T* row_out = y + blockIdx.x * cols;

    T m = -INFINITY;
    for (int c = threadIdx.x; c < cols; c += BLOCK) m = fmaxf(m, row_in[c]);
    m = block_reduce<T, BLOCK>(m, MaxOp<T>());

    T s = 0;
    for (int c = threadIdx.x; c < cols; c += BLOCK) s += expf(row_in[c] - m);
    s = block_reduce<T, BLOCK>(s, SumOp<T>());

    for (int c = threadIdx.x; c < cols; c += BLOCK) row_out[c] = expf(row_in[c] - m) / s;
}

void softmax(const float* x, float* y, int rows, int cols, cudaStream_t stream)
{
    softmax_kernel<float, 256><<<rows, 256, 0, stream>>>(x, y, cols);
}
