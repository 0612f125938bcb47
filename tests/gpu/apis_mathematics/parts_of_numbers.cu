__global__ void k(const float *a, float *out, int *classes) {
int t = blockIdx.x * blockDim.x + threadIdx.x, e; float whole;
out[3 * t] = frexpf(a[t], &e); out[3 * t + 1] = modff(a[t], &whole);
out[3 * t + 2] = ldexpf(a[t], t % 300 - 150);
classes[t] = isfinite(a[t]) ? e * 2 + signbit(a[t]) : isnan(a[t]) + isinf(a[t]) * 2; }
