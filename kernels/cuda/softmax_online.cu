// Softmax of each row in two readings: the sum is corrected whenever a larger element comes.
//
// idea     with a larger element the exponentials so far are too large by one factor, exp(before - now), which is all
//          that the sum needs (Milakov and Gimelshein, Online normalizer calculation for softmax, 2018)
// mapping  a block has a row: thread t reads the columns t, t + blockDim.x ..., and keeps (largest, sum) of them; these
//          pairs are joined by shuffles, and through shared memory
// watch    x is read twice; lanes with a larger element take the other side of the branch, more and more rarely

#define LEAST (-3.402823466e+38f)  // instead of -INFINITY, which minus itself is no number

// Joins the pair of other elements to a pair.
__device__ void join(float &largest, float &sum, float other_largest, float other_sum)
{
    float both = fmaxf(largest, other_largest);
    sum = sum * expf(largest - both) + other_sum * expf(other_largest - both);
    largest = both;
}

extern "C" __global__ void softmax_online(const float *x, float *y, int rows, int cols)
{
    __shared__ float maxima[32];  // one pair of each warp
    __shared__ float sums[32];
    int t = threadIdx.x;
    int first = blockIdx.x * cols;

    float largest = LEAST, sum = 0.0f;
    for (int c = t; c < cols; c += blockDim.x) {
        float value = x[first + c];
        if (value > largest) {
            sum = sum * expf(largest - value) + 1.0f;
            largest = value;
        } else {
            sum += expf(value - largest);
        }
    }

    for (int step = 16; step > 0; step /= 2) {
        float other_largest = __shfl_xor_sync(0xffffffff, largest, step);
        float other_sum = __shfl_xor_sync(0xffffffff, sum, step);
        join(largest, sum, other_largest, other_sum);
    }
    if (t % 32 == 0) {
        maxima[t / 32] = largest;
        sums[t / 32] = sum;
    }
    __syncthreads();
    largest = maxima[0];
    sum = sums[0];
    for (int w = 1; w < blockDim.x / 32; ++w)
        join(largest, sum, maxima[w], sums[w]);

    for (int c = t; c < cols; c += blockDim.x)
        y[first + c] = expf(x[first + c] - largest) / sum;
}

/* tilescope
title    = "Softmax: online"
teaches  = "Largest element and sum are found in one reading: a larger element corrects the sum by one factor."
workload = "softmax"
order    = 94
block    = [32]
blocks   = [[128], [256], [512], [1024]]
grid     = ["rows"]
require  = [
  ["block_y * block_z == 1 && block_x % 32 == 0",
   "it works with whole warps: choose one multiple of 32, as in block 128"],
  ["rows <= 2147483647 / cols", "an index is an int: choose at most 2,147,483,647 elements"],
]
*/
