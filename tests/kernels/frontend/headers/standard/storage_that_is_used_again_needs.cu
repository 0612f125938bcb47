#include <cub/cub.cuh>
__global__ void k(const int *in, int *out) {
    typedef cub::BlockReduce<int, 64> BlockReduce;
    __shared__ typename BlockReduce::TempStorage storage;
    int first = BlockReduce(storage).Sum(in[threadIdx.x]);
    int second = BlockReduce(storage).Sum(in[64 + threadIdx.x]);
    if (threadIdx.x == 0) *out = first + second;
}
