// Blocks take tiles from a common counter until none is left.
extern "C" __global__ void persistent_blocks(const int *in, int *out, unsigned int *next, int tiles)
{
    __shared__ int tile;
    while (true) {
        if (threadIdx.x == 0)
            tile = atomicAdd(next, 1u);
        __syncthreads();
        int mine = tile;
        __syncthreads();
        if (mine >= tiles)
            break;
        out[mine * 64 + threadIdx.x] = in[mine * 64 + threadIdx.x] * 2;
    }
}

/* hazard
trace = '''
    --grid 2 --block 64 --arg in=i32[320]:iota --arg out=i32[320]:uninit --arg next=u32[1]:zeros --arg tiles=5'''
hazards = []
first = { out = [0, 2, 4, 6, 8, 10, 12, 14] }
seen = []
*/
