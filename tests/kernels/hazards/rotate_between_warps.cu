// Each warp hands its elements to the other one. Broken: __syncwarp() orders the lanes of a warp, not two warps.
extern "C" __global__ void rotate_between_warps(const float *in, float *out)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncwarp();
    out[t] = s[(t + 32) % 64];
}

/* hazard
trace = "--grid 1 --block 64 --arg in=f32[64]:iota --arg out=f32[64]:uninit"
hazards = [{ kind = "data-race", array = "s", lines = [6, 8] }]
seen = ["racecheck"]
*/
