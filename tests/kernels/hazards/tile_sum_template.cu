// A template: the sum of an N×N tile, one thread each.
template <typename T, int N>
__device__ T tile_sum(const T *tile, int pitch)
{
    T sum = 0;
#pragma unroll
    for (int y = 0; y < N; ++y)
        for (int x = 0; x < N; ++x)
            sum += tile[y * pitch + x];
    return sum;
}

extern "C" __global__ void tile_sum_template(const float *in, float *out, int tiles, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < tiles)
        out[i] = tile_sum<float, 3>(in + 3 * i, width);
}

/* hazard
trace = "--grid 1 --block 32 --arg in=f32[3,60]:ones --arg out=f32[20]:uninit --arg tiles=20 --arg width=60"
hazards = []
seen = []
first = { out = [9, 9, 9, 9, 9, 9, 9, 9] }
*/
