template <typename T, int RADIUS, int BLOCK>
__global__ void conv1d(const T *in, const T *weights, T *out, int n)
{
    __shared__ T tile[BLOCK + 2 * RADIUS];
    int g = blockIdx.x * BLOCK + threadIdx.x;
    int l = threadIdx.x + RADIUS;

    tile[l] = g < n ? in[g] : T(0);
    if (threadIdx.x < RADIUS) {
        tile[l - RADIUS] = g >= RADIUS ? in[g - RADIUS] : T(0);
        tile[l + BLOCK] = g + BLOCK < n ? in[g + BLOCK] : T(0);
    }
    __syncthreads();

    if (g < n) {
        T acc = 0;
#pragma unroll
        for (int k = -RADIUS; k <= RADIUS; ++k)
            acc += weights[k + RADIUS] * tile[l + k];
        out[g] = acc;
    }
}

void run(const float *in, const float *w, float *out, int n)
{
    constexpr int block = 64;
    conv1d<float, 3, block><<<(n + block - 1) / block, block>>>(in, w, out, n);
}
