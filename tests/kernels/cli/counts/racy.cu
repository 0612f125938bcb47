__global__ void k(int *out) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  if (threadIdx.x < 60) out[threadIdx.x] = s[63 - threadIdx.x];
}
