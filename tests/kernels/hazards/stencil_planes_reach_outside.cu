// A seven-point stencil along z, planes in registers. Broken: column 0 is taken for one with a neighbour on its left,
// where the halo loaded nothing and stored its register all the same.
#define OUT 4
#define IN (OUT + 2)
__global__ void stencil_planes_reach_outside(const float *in, float *out, unsigned int n) {
    __shared__ float plane[IN][IN];
    int begin = blockIdx.z * OUT;
    int row = blockIdx.y * OUT + threadIdx.y - 1;
    int column = blockIdx.x * OUT + threadIdx.x - 1;
    bool exists = row >= 0 && row < n && column >= 0 && column < n;
    float before, current, next;
    if (begin >= 1 && exists)
        before = in[((begin - 1) * n + row) * n + column];
    if (begin < n && exists) {
        current = in[(begin * n + row) * n + column];
        plane[threadIdx.y][threadIdx.x] = current;
    }
    for (int i = begin; i < begin + OUT; ++i) {
        if (i + 1 < n && exists)
            next = in[((i + 1) * n + row) * n + column];
        __syncthreads();
        if (i >= 1 && i < n - 1 && row >= 1 && row < n - 1 && column >= 0 && column < n - 1)
            if (threadIdx.y >= 1 && threadIdx.y < IN - 1 && threadIdx.x >= 1 && threadIdx.x < IN - 1)
                out[(i * n + row) * n + column] = before + next - 6 * current
                    + plane[threadIdx.y][threadIdx.x - 1]
                    + plane[threadIdx.y][threadIdx.x + 1]
                    + plane[threadIdx.y - 1][threadIdx.x]
                    + plane[threadIdx.y + 1][threadIdx.x];
        __syncthreads();
        before = current;
        current = next;
        plane[threadIdx.y][threadIdx.x] = next;
    }
}

/* hazard
trace = '--grid 2,2 --block 6,6 --arg n=8 --arg "in=f32[8,8,8]:mod(5)" --arg "out=f32[8,8,8]:zeros"'
hazards = [{ kind = "uninitialised-read", array = "plane", lines = [25], message = "(shared memory), where line 32 stored next, which had no value yet" }]
seen = []
unseen = "initcheck watches global memory only, not shared memory."
*/
