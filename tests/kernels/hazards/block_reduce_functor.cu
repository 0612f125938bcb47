// A block's largest element: the operation is a struct that can be called.
struct Larger
{
    __device__ float operator()(float a, float b) const { return a > b ? a : b; }
};

template <typename Op>
__device__ float block_reduce(float *s, float mine, Op op)
{
    s[threadIdx.x] = mine;
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step /= 2)
    {
        if (threadIdx.x < step)
            s[threadIdx.x] = op(s[threadIdx.x], s[threadIdx.x + step]);
        __syncthreads();
    }
    return s[0];
}

extern "C" __global__ void block_reduce_functor(const float *in, float *out)
{
    __shared__ float s[64];
    float found = block_reduce(s, in[blockIdx.x * blockDim.x + threadIdx.x], Larger());
    if (threadIdx.x == 0)
        out[blockIdx.x] = found;
}

/* hazard
trace = "--grid 2 --block 64 --arg in=f32[128]:iota --arg out=f32[2]:uninit"
hazards = []
seen = []
first = { out = [63, 127] }
*/
