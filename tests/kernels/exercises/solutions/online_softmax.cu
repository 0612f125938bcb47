#define LEAST (-3.402823466e+38f)

extern "C" __global__ void online_softmax(const float *x, float *y, int rows, int cols)
{
    int lane = threadIdx.x;
    int first = blockIdx.x * cols;

    float largest = LEAST, sum = 0.0f;
    for (int c = lane; c < cols; c += 32) {
        float value = x[first + c];
        float larger = fmaxf(largest, value);
        sum = sum * expf(largest - larger) + expf(value - larger);
        largest = larger;
    }
    for (int step = 16; step > 0; step /= 2) {
        float other = __shfl_xor_sync(0xffffffff, largest, step);
        float other_sum = __shfl_xor_sync(0xffffffff, sum, step);
        float both = fmaxf(largest, other);
        sum = sum * expf(largest - both) + other_sum * expf(other - both);
        largest = both;
    }

    for (int c = lane; c < cols; c += 32)
        y[first + c] = expf(x[first + c] - largest) / sum;
}
