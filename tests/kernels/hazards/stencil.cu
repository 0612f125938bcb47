// Three-point sum: the block loads its elements and one more on each side into shared memory.
extern "C" __global__ void stencil(const float *in, float *out, int n)
{
    __shared__ float tile[64 + 2];
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
trace = "--grid 2 --block 64 --arg in=f32[100]:iota --arg out=f32[100]:uninit --arg n=100"
hazards = []
seen = []
first = { out = [1, 3, 6, 9, 12, 15, 18, 21] }
*/
