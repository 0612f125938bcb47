#include <cuda/pipeline>
#include <cuda/barrier>
__global__ void k(const float4 *in, float *out) {
    __shared__ float tile[2][32][4];
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    int t = threadIdx.x;
    if (t == 0) init(&barrier, 32); __syncthreads();
    float sum = 0;
    for (int i = 0, j = 0; i < 4; i++) {
        for (; j < 4 && j < i + 2; j++) {
            pipe.producer_acquire();
            cuda::memcpy_async((float4 *)tile[j % 2][t], in + 32 * j + t, cuda::aligned_size_t<16>(16), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        barrier.arrive_and_wait();
        sum += tile[i % 2][31 - t][i];
        pipe.consumer_release();
        barrier.arrive_and_wait();
    }
    out[t] = sum;
}
