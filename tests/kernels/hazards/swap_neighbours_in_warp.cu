// Neighbours swap through shared memory; one warp, so __syncwarp() is enough.
extern "C" __global__ void swap_neighbours_in_warp(const float *in, float *out)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncwarp();
    out[t] = s[t ^ 1];
}

/* hazard
trace = "--grid 1 --block 64 --arg in=f32[64]:iota --arg out=f32[64]:uninit"
hazards = []
seen = []
first = { out = [1, 0, 3, 2, 5, 4, 7, 6] }
*/
