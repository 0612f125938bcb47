// The largest element and its index: a pair goes through the same tree as a sum.
//
// idea     a lane passes value and index, a shuffle each: the larger value wins, of equal values the smaller index
// mapping  thread t compares x[t], x[t + block], and so on; then as in reduce_shuffle
// watch    no atomic operation joins the pairs of several blocks, so that one block reads all of x

#define MINUS_INFINITY __int_as_float(0xff800000)  // no element is less

__device__ void keep_larger(float &largest, int &place, float value, int index)
{
    if (value > largest || value == largest && index < place) {
        largest = value;
        place = index;
    }
}

__device__ void join_warp(float &largest, int &place)
{
    for (int step = 16; step > 0; step /= 2) {
        float value = __shfl_down_sync(0xffffffff, largest, step);
        int index = __shfl_down_sync(0xffffffff, place, step);
        keep_larger(largest, place, value, index);
    }
}

extern "C" __global__ void reduce_maximum(const float *x, float *largest, int *place, int n)
{
    __shared__ float values[32];  // one of each warp
    __shared__ int indices[32];
    int t = threadIdx.x;

    float value = MINUS_INFINITY;
    int index = n;  // of a thread without an element: any index is smaller
    for (int i = t; i < n; i += blockDim.x)
        keep_larger(value, index, x[i], i);

    join_warp(value, index);
    if (t % 32 == 0) {
        values[t / 32] = value;
        indices[t / 32] = index;
    }
    __syncthreads();

    if (t < 32) {
        value = t < blockDim.x / 32 ? values[t] : MINUS_INFINITY;
        index = t < blockDim.x / 32 ? indices[t] : n;
        join_warp(value, index);
        if (t == 0) {
            largest[0] = value;
            place[0] = index;
        }
    }
}

/* tilescope
title    = "Maximum with its index"
teaches  = "A pair of value and index goes through the tree of a sum: two shuffles a step, and one comparison."
workload = "maximum"
order    = 88
size     = [128]
block    = [64]
blocks   = [[128], [256], [512], [1024]]
grid     = ["1"]
require  = [
  ["block_y * block_z == 1 && block_x % 32 == 0 && (block_x & (block_x - 1)) == 0",
   "it works with whole warps: choose one power of two from 32 up, as in block 128"],
]
*/
