// Three-point sum in shared memory. Broken: the tile has no room for the neighbours.
extern "C" __global__ void stencil_halo_too_small(const float *in, float *out, int n)
{
    __shared__ float tile[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    tile[t + 1] = i < n ? in[i] : 0.0f;
    if (t == 0) {
        tile[0] = i > 0 ? in[i - 1] : 0.0f;
        tile[64 + 1] = i + 64 < n ? in[i + 64] : 0.0f;
    }
    __syncthreads();
    if (i < n)
        out[i] = tile[t] + tile[t + 1] + tile[t + 2];
}

/* hazard
trace = "--grid 2 --block 64 --arg in=f32[128]:iota --arg out=f32[128]:uninit --arg n=128"
hazards = [
    { kind = "out-of-bounds", array = "tile", lines = [6] },
    { kind = "out-of-bounds", array = "tile", lines = [9] },
    { kind = "out-of-bounds", array = "tile", lines = [13] },
]
seen = ["memcheck"]
*/
