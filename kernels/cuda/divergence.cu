// Even and odd lanes take different sides of an if: the warp executes both, one after the other.
//
// idea     a warp has one instruction at a time: lanes that take the other side are masked, and wait
// mapping  thread i writes element i; the groups of LANES threads alternate between the sides
// watch    both sides write the same numbers. With lanes and half-warps every warp executes two sides, with whole warps
//          one: what counts is whether the lanes of a warp agree, not how many threads take a side. The second side
//          stores by __stcs: of two equal stores the compiler makes one, without a branch

#ifndef LANES
#define LANES 1  // neighbouring threads that take the same side
#endif

extern "C" __global__ void divergence(int *out, int height, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < height * width) {
        if (threadIdx.x / LANES % 2 == 0) {
            out[i] = i;
        } else {
            int row = i / width;
            int column = i % width;
            __stcs(&out[i], row * width + column);
        }
    }
}

/* tilescope
title    = "Sides of a branch"
teaches  = "A warp whose lanes disagree executes both sides of a branch; warps that agree execute one."
workload = "index"
order    = 14
size     = [8, 16, 16]
block    = [64]
blocks   = [[64], [128], [256]]
grid     = ["(height * width + block_x - 1) / block_x"]
require  = [["block_y * block_z == 1", "its elements are in one dimension: choose one number, as in block 128"]]

[option.sides]
title   = "sides alternate by"
choices = { lanes = { LANES = "1" }, half_warps = { LANES = "16" }, warps = { LANES = "32" } }
*/
