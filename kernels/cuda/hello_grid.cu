// Every thread says who it is.
//
// idea     one kernel, many threads: each runs the same lines with its own threadIdx and blockIdx
// mapping  none: no data, only printf
// watch    each thread prints exactly once, in an order that nothing promises

#include <stdio.h>

extern "C" __global__ void hello_grid()
{
    printf("Hello from thread (%d, %d) of block (%d, %d)\n", threadIdx.x, threadIdx.y, blockIdx.x, blockIdx.y);
}

/* tilescope
title    = "Hello, grid"
teaches  = "A grid of (2, 2) blocks of (2, 2) threads runs one kernel sixteen times."
workload = "none"
order    = 10
size     = [4, 4, 1]
block    = [2, 2]
blocks   = [[2, 2], [4, 2]]
grid     = ["2", "2"]
*/
