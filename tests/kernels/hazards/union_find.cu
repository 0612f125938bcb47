// Joins the ends of edges: roots are hooked with compare and swap, all reads are atomic.
__device__ int root(int *parent, int v)
{
    int p = atomicAdd(&parent[v], 0);
    while (p != v) {
        v = p;
        p = atomicAdd(&parent[v], 0);
    }
    return v;
}
extern "C" __global__ void union_find(const int *from, const int *to, int *parent)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    int a = root(parent, from[e]), b = root(parent, to[e]);
    while (a != b) {
        int high = max(a, b), low = min(a, b);
        int old = atomicCAS(&parent[high], high, low);
        if (old == high)
            break;
        a = root(parent, old);
        b = low;
    }
}

/* hazard
trace = "--grid 2 --block 32 --arg from=i32[64]:mod(20) --arg to=i32[64]:mod(9) --arg parent=i32[20]:iota"
hazards = []
first = { parent = [0, 0, 0, 1, 2, 3, 4, 5] }
seen = []
*/
