__global__ void mine() {}
/* tilescope
title = "T"
teaches = "S"
workload = "matmul"
size = [4]
block = [2]
blocks = [[4]]
grid = ["N"]
block_rules = "mine.toml"
*/
