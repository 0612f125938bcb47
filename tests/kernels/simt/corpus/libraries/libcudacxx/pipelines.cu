// Pipelines of a thread and barriers of a block, as `cuda/pipeline` and `cuda/barrier` have them.

#include <cuda/pipeline>
#include <cuda/barrier>

// Stages.
//: <<<1, 32>>>
//: in = arange(512).reshape(128, 4)
#define STAGES(NAME, ...) \
    __global__ void NAME(const float4 *in, float *out) { \
        __shared__ float tile[2][32][4]; __shared__ cuda::barrier<cuda::thread_scope_block> barrier; \
        cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline(); int t = threadIdx.x; \
        __VA_ARGS__ out[t] = sum; \
    }
//: out[t] == -16 * t + 1270
STAGES(stages_1,
    if (t == 0) init(&barrier, blockDim.x); __syncthreads(); float sum = 0;
    for (int i = 0, j = 0; i < 4; i++) { for (; j < 4 && j < i + 2; j++) { pipe.producer_acquire(); cuda::memcpy_async((float4 *)tile[j % 2][t], in + 32 * j + t, cuda::aligned_size_t<16>(16), pipe); pipe.producer_commit(); } pipe.consumer_wait(); barrier.arrive_and_wait(); sum += tile[i % 2][31 - t][i]; pipe.consumer_release(); barrier.arrive_and_wait(); })
//: out[t] == -16 * t + 1270
STAGES(stages_2,
    if (t == 0) init(&barrier, 32); __syncthreads(); float sum = 0;
    for (int i = 0, j = 0; i < 4; i++) { for (; j < 4 && j < i + 2; j++) { pipe.producer_acquire(); cuda::memcpy_async((float4 *)tile[j % 2][t], in + 32 * j + t, cuda::aligned_size_t<16>(16), pipe); pipe.producer_commit(); } if (i < 3) cuda::pipeline_consumer_wait_prior<1>(pipe); else cuda::pipeline_consumer_wait_prior<0>(pipe); barrier.arrive_and_wait(); sum += tile[i % 2][31 - t][i]; pipe.consumer_release(); barrier.arrive_and_wait(); })
//: np.isnan(out).all()
//: data-race
STAGES(stages_3,
    if (t == 0) init(&barrier, 32); __syncthreads(); float sum = 0;
    for (int i = 0, j = 0; i < 4; i++) { for (; j < 4 && j < i + 2; j++) { pipe.producer_acquire(); cuda::memcpy_async((float4 *)tile[j % 2][t], in + 32 * j + t, cuda::aligned_size_t<16>(16), pipe); pipe.producer_commit(); } barrier.arrive_and_wait(); sum += tile[i % 2][31 - t][i]; pipe.consumer_release(); barrier.arrive_and_wait(); })
//: out[t] == -16 * t + 1270
//: data-race
STAGES(stages_4,
    if (t == 0) init(&barrier, 16); __syncthreads(); float sum = 0;
    for (int i = 0, j = 0; i < 4; i++) { for (; j < 4 && j < i + 2; j++) { pipe.producer_acquire(); cuda::memcpy_async((float4 *)tile[j % 2][t], in + 32 * j + t, cuda::aligned_size_t<16>(16), pipe); pipe.producer_commit(); } pipe.consumer_wait(); barrier.arrive_and_wait(); sum += tile[i % 2][31 - t][i]; pipe.consumer_release(); barrier.arrive_and_wait(); })
//: out[t] == -16 * t + 1270
//: barrier-divergence
STAGES(stages_5,
    if (t == 0) init(&barrier, 64); __syncthreads(); float sum = 0;
    for (int i = 0, j = 0; i < 4; i++) { for (; j < 4 && j < i + 2; j++) { pipe.producer_acquire(); cuda::memcpy_async((float4 *)tile[j % 2][t], in + 32 * j + t, cuda::aligned_size_t<16>(16), pipe); pipe.producer_commit(); } pipe.consumer_wait(); barrier.arrive_and_wait(); sum += tile[i % 2][31 - t][i]; pipe.consumer_release(); barrier.arrive_and_wait(); })
//: out[t] == -16 * t + 1270
//: data-race
STAGES(stages_6,
    if (t == 0) init(&barrier, 32); float sum = 0;
    for (int i = 0, j = 0; i < 4; i++) { for (; j < 4 && j < i + 2; j++) { pipe.producer_acquire(); cuda::memcpy_async((float4 *)tile[j % 2][t], in + 32 * j + t, cuda::aligned_size_t<16>(16), pipe); pipe.producer_commit(); } pipe.consumer_wait(); barrier.arrive_and_wait(); sum += tile[i % 2][31 - t][i]; pipe.consumer_release(); barrier.arrive_and_wait(); })
//: out[t] == -16 * t + 1270
//: barrier-divergence
//: uninitialised-read
STAGES(stages_7,
    float sum = 0;
    for (int i = 0, j = 0; i < 4; i++) { for (; j < 4 && j < i + 2; j++) { pipe.producer_acquire(); cuda::memcpy_async((float4 *)tile[j % 2][t], in + 32 * j + t, cuda::aligned_size_t<16>(16), pipe); pipe.producer_commit(); } pipe.consumer_wait(); barrier.arrive_and_wait(); sum += tile[i % 2][31 - t][i]; pipe.consumer_release(); barrier.arrive_and_wait(); })
