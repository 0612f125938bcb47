extern "C" __global__ void grid_too_small(int *out, int height, int width) { out[0] = 1; }

/* tilescope
title    = "A grid"
teaches  = "It is large."
workload = "index"
size     = [5, 7, 1]
block    = [4, 2]
blocks   = [[4, 2]]
block_rules = "../../others/secret.cuh"
grid     = ["2147483647 * 1", "65535"]
*/
