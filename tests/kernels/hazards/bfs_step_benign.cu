// One level of a breadth-first search without atomics. All writers store the same 1, which works until a compiler
// takes the absence of races for granted.
extern "C" __global__ void bfs_step_benign(const int *frontier, int size, const int *neighbours, int *next)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size)
        for (int e = 0; e < 2; ++e)
            next[neighbours[2 * frontier[i] + e]] = 1;
}

/* hazard
trace = '''
    --grid 2 --block 32 --arg frontier=i32[40]:iota --arg size=40 --arg neighbours=i32[80]:mod(20)
    --arg next=i32[50]:zeros'''
hazards = [{ kind = "data-race", array = "next", lines = [8], message = "both write the same value" }]
seen = []
unseen = "racecheck watches shared memory only, not global memory."
*/
