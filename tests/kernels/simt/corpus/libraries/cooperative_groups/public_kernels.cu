// Cooperative groups as public kernels use them, each case rewritten.

namespace cg = cooperative_groups;
#include <cooperative_groups.h>

// Reduce over a tile.
//: <<<1, 16>>>
//: a = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3]
//: a == [31, 31, 31, 31, 31, 31, 31, 31, 49, 49, 49, 49, 49, 49, 49, 49]
__global__ void reduce_over_tile_1(float *a) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    a[threadIdx.x] = cg::reduce(tile, a[threadIdx.x], cg::plus<float>());
}

//: <<<1, 16>>>
//: a = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3]
//: a == [1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3]
__global__ void reduce_over_tile_2(int *a) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    a[threadIdx.x] = cg::reduce(tile, a[threadIdx.x], cg::less<int>());
}

//: <<<1, 16>>>
//: a = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3]
//: a[t] == 9
__global__ void reduce_over_tile_3(float *a) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    a[threadIdx.x] = cg::reduce(tile, a[threadIdx.x], cg::greater<float>());
}

// Unsupported members of groups are refused.
#define UNSUPPORTED_MEMBERS(NAME, ...) \
    __global__ void NAME() { \
        auto block = cg::this_thread_block(); __VA_ARGS__; \
    }
UNSUPPORTED_MEMBERS(unsupported_members_groups_1, cg::this_grid().shfl(1, 2))
//                                                ^ error: grid_group.shfl()
UNSUPPORTED_MEMBERS(unsupported_members_groups_2, cg::tiled_partition<1024>(block).sync())
//                                                                    ^ error: a tile of this size; use 1, 2, 4, 8, 16 or 32 threads
UNSUPPORTED_MEMBERS(unsupported_members_groups_3, block.shfl(1, 2))
//                                                ^ error: thread_block.shfl()
UNSUPPORTED_MEMBERS(unsupported_members_groups_4, block.sync(1))
//                                                ^ error: thread_block.sync takes 0 arguments, 1 are given

// A barrier of the whole grid orders its blocks.
//: <<<4, 64>>> every schedule
//: out[t] == 255 - t % 256
__global__ void barrier_whole_grid_1(int *a, int *out) {
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank();
    a[i] = i;
    grid.sync();
    out[i] = a[grid.size() - 1 - i];
    grid.sync();
    a[i] = 0;
}

//: <<<4, 64>>> every schedule
//: out[t] == 255 - t % 256
__global__ void barrier_whole_grid_2(int *a, int *out) {
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank();
    a[i] = i;
    cg::sync(grid);
    out[i] = a[grid.size() - 1 - i];
    cg::sync(grid);
    a[i] = 0;
}

// Less than a barrier of the whole grid leaves races.
//: <<<4, 64>>>
//: data-race
#define LESS_THAN(NAME, ...) \
    __global__ void NAME(int *a, int *out) { \
        cg::grid_group grid = cg::this_grid(); int i = grid.thread_rank(); a[i] = i; __VA_ARGS__; a[i] = 0; \
    }
LESS_THAN(less_than_barrier_1, __syncthreads(); out[i] = a[grid.size() - 1 - i]; __syncthreads())
LESS_THAN(less_than_barrier_2, out[i] = a[grid.size() - 1 - i])
LESS_THAN(less_than_barrier_3,
    cg::this_thread_block().sync(); out[i] = a[grid.size() - 1 - i]; cg::this_thread_block().sync())

// Hazards around a grid barrier.
//: <<<2, 8>>>
#define HAZARDS_AROUND(NAME, ...) \
    __global__ void NAME(int *a) { \
        cooperative_groups::grid_group grid = cooperative_groups::this_grid(); __VA_ARGS__; \
    }
HAZARDS_AROUND(hazards_around_grid_1, if (blockIdx.x) grid.sync())  //: barrier-divergence
HAZARDS_AROUND(hazards_around_grid_2, grid.sync(); if (blockIdx.x) return; grid.sync())  //: barrier-divergence
//: uninitialised-read
HAZARDS_AROUND(hazards_around_grid_3, int x = a[threadIdx.x]; grid.sync(); a[threadIdx.x + blockIdx.x * 8] = x)
//: result-never-written
//: data-race
HAZARDS_AROUND(hazards_around_grid_4, grid.sync(); a[0] = blockIdx.x)
//: data-race
//: result-never-written
HAZARDS_AROUND(hazards_around_grid_5, a[0] = blockIdx.x; grid.sync())
//: data-race
HAZARDS_AROUND(hazards_around_grid_6,
    if (grid.thread_rank() == 0) a[0] = 1; grid.sync(); a[grid.thread_rank()] = a[0])
HAZARDS_AROUND(hazards_around_grid_7,
    if (grid.thread_rank() == 0) a[0] = 1; grid.sync(); int x = a[0]; grid.sync(); a[grid.thread_rank()] = x)
