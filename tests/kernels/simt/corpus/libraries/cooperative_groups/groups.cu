// Collectives of cooperative groups: reductions, scans, copies, and what is refused.

namespace cg = cooperative_groups;
#include <cuda/pipeline>

// Reduce structs with a function.

struct Best { float value; int place; };
__device__ Best better(Best a, Best b) { return a.value > b.value ? a : b; }

//: <<<1, 64>>>
//: in = random(3).random(64)
//: out = unwritten(2)
//: out == [before["in"][:32].argmax(), 32 + before["in"][32:].argmax()]
__global__ void reduce_structs_with_a_function(const float *in, int *out) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    Best mine = { in[threadIdx.x], (int)threadIdx.x };
    Best best = cg::reduce(warp, mine, better);
    if (warp.thread_rank() == 0) out[warp.meta_group_rank()] = best.place;
}

// Scans of a tile.
//: <<<1, 32>>>
//: a = [47, 51, 75, 95, 3, 14, 82, 94, 24, 31, 86, 42, 27, 82, 25, 40, 64, 54, 8, 2, 86, 75, 83, 53, 81, 32, 45, 78, 12, 30, 12, 45]
#define SCANS_TILE(NAME, ...) \
    __global__ void NAME(int *a) { \
        __VA_ARGS__; \
    }
//: a == [47, 98, 173, 268, 3, 17, 99, 193, 24, 55, 141, 183, 27, 109, 134, 174, 64, 118, 126, 128, 86, 161, 244, 297, 81, 113, 158, 236, 12, 42, 54, 99]
SCANS_TILE(scans_tile_1,
    auto tile = cg::tiled_partition<4>(cg::this_thread_block()); int v = a[threadIdx.x];
    a[threadIdx.x] = cg::inclusive_scan(tile, v))
//: a == [47, 98, 173, 268, 271, 285, 367, 461, 485, 516, 602, 644, 671, 753, 778, 818, 64, 118, 126, 128, 214, 289, 372, 425, 506, 538, 583, 661, 673, 703, 715, 760]
SCANS_TILE(scans_tile_2,
    auto tile = cg::tiled_partition<16>(cg::this_thread_block()); int v = a[threadIdx.x];
    a[threadIdx.x] = cg::inclusive_scan(tile, v))
//: a == [47, 98, 173, 268, 271, 285, 367, 461, 485, 516, 602, 644, 671, 753, 778, 818, 882, 936, 944, 946, 1032, 1107, 1190, 1243, 1324, 1356, 1401, 1479, 1491, 1521, 1533, 1578]
SCANS_TILE(scans_tile_3,
    auto tile = cg::tiled_partition<32>(cg::this_thread_block()); int v = a[threadIdx.x];
    a[threadIdx.x] = cg::inclusive_scan(tile, v))
//: a == [47, 98, 173, 268, 3, 17, 99, 193, 24, 55, 141, 183, 27, 109, 134, 174, 64, 118, 126, 128, 86, 161, 244, 297, 81, 113, 158, 236, 12, 42, 54, 99]
SCANS_TILE(scans_tile_4,
    auto tile = cg::tiled_partition<4>(cg::this_thread_block()); int v = a[threadIdx.x];
    a[threadIdx.x] = cg::inclusive_scan(tile, v, cg::plus<int>()))
//: a == [47, 98, 173, 268, 271, 285, 367, 461, 485, 516, 602, 644, 671, 753, 778, 818, 64, 118, 126, 128, 214, 289, 372, 425, 506, 538, 583, 661, 673, 703, 715, 760]
SCANS_TILE(scans_tile_5,
    auto tile = cg::tiled_partition<16>(cg::this_thread_block()); int v = a[threadIdx.x];
    a[threadIdx.x] = cg::inclusive_scan(tile, v, cg::plus<int>()))
//: a == [47, 98, 173, 268, 271, 285, 367, 461, 485, 516, 602, 644, 671, 753, 778, 818, 882, 936, 944, 946, 1032, 1107, 1190, 1243, 1324, 1356, 1401, 1479, 1491, 1521, 1533, 1578]
SCANS_TILE(scans_tile_6,
    auto tile = cg::tiled_partition<32>(cg::this_thread_block()); int v = a[threadIdx.x];
    a[threadIdx.x] = cg::inclusive_scan(tile, v, cg::plus<int>()))
//: a == [47, 51, 75, 95, 3, 14, 82, 94, 24, 31, 86, 86, 27, 82, 82, 82, 64, 64, 64, 64, 86, 86, 86, 86, 81, 81, 81, 81, 12, 30, 30, 45]
SCANS_TILE(scans_tile_7,
    auto tile = cg::tiled_partition<4>(cg::this_thread_block()); int v = a[threadIdx.x];
    a[threadIdx.x] = cg::inclusive_scan(tile, v, cg::greater<int>()))
//: a == [47, 51, 75, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 64, 64, 64, 64, 86, 86, 86, 86, 86, 86, 86, 86, 86, 86, 86, 86]
SCANS_TILE(scans_tile_8,
    auto tile = cg::tiled_partition<16>(cg::this_thread_block()); int v = a[threadIdx.x];
    a[threadIdx.x] = cg::inclusive_scan(tile, v, cg::greater<int>()))
//: a == [47, 51, 75, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95]
SCANS_TILE(scans_tile_9,
    auto tile = cg::tiled_partition<32>(cg::this_thread_block()); int v = a[threadIdx.x];
    a[threadIdx.x] = cg::inclusive_scan(tile, v, cg::greater<int>()))
//: a == [47, 51, 75, 95, 3, 14, 82, 94, 24, 31, 86, 86, 27, 82, 82, 82, 64, 64, 64, 64, 86, 86, 86, 86, 81, 81, 81, 81, 12, 30, 30, 45]
SCANS_TILE(scans_tile_10,
    auto tile = cg::tiled_partition<4>(cg::this_thread_block()); int v = a[threadIdx.x];
    a[threadIdx.x] = cg::inclusive_scan(tile, v, [](int a, int b) { return a > b ? a : b; }))
//: a == [47, 51, 75, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 64, 64, 64, 64, 86, 86, 86, 86, 86, 86, 86, 86, 86, 86, 86, 86]
SCANS_TILE(scans_tile_11,
    auto tile = cg::tiled_partition<16>(cg::this_thread_block()); int v = a[threadIdx.x];
    a[threadIdx.x] = cg::inclusive_scan(tile, v, [](int a, int b) { return a > b ? a : b; }))
//: a == [47, 51, 75, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95]
SCANS_TILE(scans_tile_12,
    auto tile = cg::tiled_partition<32>(cg::this_thread_block()); int v = a[threadIdx.x];
    a[threadIdx.x] = cg::inclusive_scan(tile, v, [](int a, int b) { return a > b ? a : b; }))

// A group copies together and waits.
//: <<<1, 32>>>
//: out = unwritten(64)
//: in = arange(64)
#define GROUP_COPIES(NAME, ...) \
    __global__ void NAME(float *out, const float *in) { \
        __shared__ float tile[64]; auto block = cg::this_thread_block(); \
        cg::memcpy_async(block, tile, in, cuda::aligned_size_t<4>(sizeof(float) * 64)); \
        __VA_ARGS__ (int i = threadIdx.x; i < 64; i += 32) out[i] = tile[63 - i]; \
    }
GROUP_COPIES(group_copies_together_1, cg::wait(block); for)  //: out[t] == 63 - t % 64
//: np.isnan(out).all()
//: data-race
GROUP_COPIES(group_copies_together_2, for)
//: np.isnan(out).all()
//: data-race
GROUP_COPIES(group_copies_together_3, block.sync(); for)

// Refusals.
#define REFUSALS(NAME, ...) \
    __global__ void NAME() { \
        int memory; auto block = cg::this_thread_block(); auto g = cg::tiled_partition<8>(block); __VA_ARGS__; \
    }
REFUSALS(refusals_1, g.group_index())
//                   ^ error: not supported: thread_block_tile<8>.group_index()
REFUSALS(refusals_2, g.match_any(1))
//                   ^ error: not supported: thread_block_tile<8>.match_any()
REFUSALS(refusals_3, g.shfl(1))
//                   ^ error: thread_block_tile<8>.shfl takes 2 arguments, 1 are given
REFUSALS(refusals_4, cg::coalesced_threads())
//                   ^ error: not supported: function 'coalesced_threads'; neither this file, with what it includes, nor the simulator declares it
REFUSALS(refusals_5, cg::tiled_partition<4>(g))
//                   ^ error: not supported: tiled_partition of this group; divide the block, this_thread_block()
REFUSALS(refusals_6, cg::tiled_partition<64>(block))
//                                       ^ error: not supported: a tile of this size; use 1, 2, 4, 8, 16 or 32 threads
REFUSALS(refusals_7, cg::exclusive_scan(g, 1))
//                   ^ error: not supported: function 'exclusive_scan'; neither this file, with what it includes, nor the simulator declares it
REFUSALS(refusals_8, cg::inclusive_scan(block, 1, cg::less<int>()))
//                   ^ error: not supported: this inclusive_scan; use a tile, a value and one of plus, less, greater, or a function
REFUSALS(refusals_9, cg::wait(cg::this_grid()))
//                   ^ error: not supported: this wait; use a block or a tile
REFUSALS(refusals_10, cg::this_thread_block(memory))
//                    ^ error: not supported: this_thread_block with an argument; tiles have up to 32 threads
