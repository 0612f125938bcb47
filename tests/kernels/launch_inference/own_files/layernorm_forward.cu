// LayerNorm, one block for each row of (B*T, C). Shared reduction of sum and of squares.
#include <cuda_runtime.h>

__global__ void layernorm_forward_kernel(float* out, float* mean, float* rstd, const float* inp,
                                         const float* weight, const float* bias, int N, int C) {
    extern __shared__ float shared[];
    int idx = blockIdx.x;
    int tid = threadIdx.x;
    int block_size = blockDim.x;
    const float* x = inp + idx * C;

    float sum = 0.0f;
    for (int i = tid; i < C; i += block_size) {
        sum += x[i];
    }
    shared[tid] = sum;
    for (int stride = block_size / 2; stride >= 1; stride /= 2) {
        __syncthreads();
        if (tid < stride) {
            shared[tid] += shared[tid + stride];
        }
    }
    __syncthreads();
    float m = shared[0] / C;
    __syncthreads();

    float sq = 0.0f;
    for (int i = tid; i < C; i += block_size) {
        float d = x[i] - m;
        sq += d * d;
    }
    shared[tid] = sq;
    for (int stride = block_size / 2; stride >= 1; stride /= 2) {
        __syncthreads();
        if (tid < stride) {
            shared[tid] += shared[tid + stride];
        }
    }
    __syncthreads();
    float s = rsqrtf(shared[0] / C + 1e-5f);

    if (tid == 0) {
        mean[idx] = m;
        rstd[idx] = s;
    }
    float* o = out + idx * C;
    for (int i = tid; i < C; i += block_size) {
        o[i] = (x[i] - m) * s * weight[i] + bias[i];
    }
}

void layernorm_forward(float* out, float* mean, float* rstd, const float* inp, const float* weight,
                       const float* bias, int B, int T, int C, const int block_size) {
    const int N = B * T;
    layernorm_forward_kernel<<<N, block_size, block_size * sizeof(float)>>>(out, mean, rstd, inp, weight, bias, N, C);
}
