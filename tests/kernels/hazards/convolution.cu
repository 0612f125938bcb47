// Convolution with a mask in constant memory.
__constant__ float mask[5] = {1.0f, 2.0f, 3.0f, 2.0f, 1.0f};

extern "C" __global__ void convolution(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = -2; k <= 2; ++k)
        if (i + k >= 0 && i + k < n)
            sum += in[i + k] * mask[k + 2];
    if (i < n)
        out[i] = sum;
}

/* hazard
trace = "--grid 2 --block 64 --arg in=f32[100]:ones --arg out=f32[100]:uninit --arg n=100"
hazards = []
seen = []
first = { out = [6, 8, 9, 9, 9, 9, 9, 9] }
*/
