// One level of a breadth-first search: the first to reach a vertex puts it into the next frontier.
extern "C" __global__ void bfs_step(const int *frontier, int size, const int *neighbours, int *level, int *reached,
                                    int depth)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size)
        for (int e = 0; e < 2; ++e) {
            int v = neighbours[2 * frontier[i] + e];
            if (atomicCAS(&level[v], -1, depth) == -1)
                atomicAdd(reached, 1);
        }
}

/* hazard
trace = '''
    --grid 2 --block 32 --arg frontier=i32[40]:iota --arg size=40 --arg neighbours=i32[80]:mod(20)
    --arg level=i32[50]:randint(-1,-1,0) --arg reached=i32[1]:zeros --arg depth=3'''
hazards = []
seen = []
first = { level = [3, 3, 3, 3, 3, 3, 3, 3], reached = [20] }
*/
