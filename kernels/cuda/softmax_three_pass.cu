// Softmax of each row in three readings: the largest element, the sum of exponentials, the results.
//
// idea     exp(x - largest) cannot overflow, whatever the numbers are; so the largest element comes first
// mapping  a block has a row: thread t reads the columns t, t + blockDim.x ...; shuffles and one word of each warp in
//          shared memory join what the threads found
// watch    x is read three times, y is written once; an exponential is computed twice instead of being stored

#define MINUS_INFINITY __int_as_float(0xff800000)  // no element is less

__device__ float max_of_block(float value, float *words)
{
    for (int step = 16; step > 0; step /= 2)
        value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, step));
    if (threadIdx.x % 32 == 0)
        words[threadIdx.x / 32] = value;
    __syncthreads();
    for (int w = 0; w < blockDim.x / 32; ++w)
        value = fmaxf(value, words[w]);
    return value;
}

__device__ float sum_of_block(float value, float *words)
{
    for (int step = 16; step > 0; step /= 2)
        value += __shfl_xor_sync(0xffffffff, value, step);
    if (threadIdx.x % 32 == 0)
        words[threadIdx.x / 32] = value;
    __syncthreads();
    value = 0.0f;
    for (int w = 0; w < blockDim.x / 32; ++w)
        value += words[w];
    return value;
}

extern "C" __global__ void softmax_three_pass(const float *x, float *y, int rows, int cols)
{
    __shared__ float maxima[32];  // one of each warp
    __shared__ float sums[32];
    int first = blockIdx.x * cols;

    float largest = MINUS_INFINITY;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        largest = fmaxf(largest, x[first + c]);
    largest = max_of_block(largest, maxima);

    float sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        sum += expf(x[first + c] - largest);
    sum = sum_of_block(sum, sums);

    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        y[first + c] = expf(x[first + c] - largest) / sum;
}

/* tilescope
title    = "Softmax: three readings"
teaches  = "The largest element, the sum, the quotients: each of the three needs the whole row before the next begins."
workload = "softmax"
order    = 93
block    = [32]
blocks   = [[128], [256], [512], [1024]]
grid     = ["rows"]
require  = [
  ["block_y * block_z == 1 && block_x % 32 == 0",
   "it works with whole warps: choose one multiple of 32, as in block 128"],
  ["rows <= 2147483647 / cols", "an index is an int: choose at most 2,147,483,647 elements"],
]
*/
