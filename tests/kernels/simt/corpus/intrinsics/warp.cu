// Shuffles, votes, matches and reductions, against plain Python, warp by warp.

// A shuffle beyond the last thread of the block.
//: <<<2, (5, 8)>>>
__global__ void a_shuffle_beyond_the_last_thread_of_the_block(int *out) {
    int t = threadIdx.x + threadIdx.y * blockDim.x;
    int g = blockIdx.x * blockDim.x * blockDim.y + t;
    int v = (int)(g * 7 + 3);
    int r = 0;
    r = __shfl_down_sync(0xffffffff, v, 4);
//      ^ inactive-shuffle x8: the block has no such thread
    out[g] = r;
}

// Calls that cannot be.
//: <<<2, (8, 8)>>>
#define CALLS_CANNOT(NAME, ...) \
    __global__ void NAME(int *out) { \
        int t = threadIdx.x + threadIdx.y * blockDim.x; int g = blockIdx.x * blockDim.x * blockDim.y + t; \
        int v = (int)(g * 7 + 3); int r = 0; r = __VA_ARGS__; out[g] = r; \
    }
CALLS_CANNOT(calls_cannot_1, __shfl_sync(0xffffffff, v, 0, 12))
//                           ^ error: must be 1, 2, 4, 8, 16 or 32
CALLS_CANNOT(calls_cannot_2, __shfl_sync(v, 0))
//                           ^ error: takes 3 or 4 arguments, 2 are given
CALLS_CANNOT(calls_cannot_3, __ballot_sync(1.5f, v))
//                           ^ error: the mask of __ballot_sync is an unsigned number
CALLS_CANNOT(calls_cannot_4, __reduce_add_sync(0xffffffff, 1.0f))
//                           ^ error: takes int or unsigned, not float

// Only the lane that others read needs a value.
//: <<<2, (8, 8)>>> every schedule
//: out[t] == t // 32 * 224 + 3
__global__ void into_itself(int *out) {
    int t = threadIdx.x + threadIdx.y * blockDim.x;
    int g = blockIdx.x * blockDim.x * blockDim.y + t;
    int v = (int)(g * 7 + 3);
    int r = 0;
    int x; if (t % 32 == 0) x = v; r = x = __shfl_sync(0xffffffff, x, 0);
    out[g] = r;
}

//: <<<2, (8, 8)>>> every schedule
//: out[t] == t // 32 * 224 + 3
__global__ void into_itself_(int *out) {
    int t = threadIdx.x + threadIdx.y * blockDim.x;
    int g = blockIdx.x * blockDim.x * blockDim.y + t;
    int v = (int)(g * 7 + 3);
    int r = 0;
    auto tile = tiled_partition<32>(cooperative_groups::this_thread_block()); int x;
    if (tile.thread_rank() == 0) x = v; r = tile.shfl(x, 0);
    out[g] = r;
}

// A value that another lane does not have is reported.
//: <<<2, (8, 8)>>>
__global__ void a_value_that_another_lane_does_not_have_is_reported(int *out) {
    int t = threadIdx.x + threadIdx.y * blockDim.x;
    int g = blockIdx.x * blockDim.x * blockDim.y + t;
    int v = (int)(g * 7 + 3);
    int r = 0;
    int x; if (t % 4 == 0) x = v; r = __shfl_xor_sync(0xffffffff, x, 1);
//                                                                ^ uninitialised-read x96: thread (0, 0) of block (0, 0) uses x of another lane, which has no value yet
    out[g] = r;
}
