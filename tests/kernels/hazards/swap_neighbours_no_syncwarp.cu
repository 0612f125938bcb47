// Neighbours swap through shared memory. Broken: since Volta the lanes of a warp need not run in step.
extern "C" __global__ void swap_neighbours_no_syncwarp(const float *in, float *out)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    out[t] = s[t ^ 1];
}

/* hazard
trace = "--grid 1 --block 64 --arg in=f32[64]:iota --arg out=f32[64]:uninit"
hazards = [{ kind = "data-race", array = "s", lines = [6, 7] }]
seen = ["racecheck"]
*/
