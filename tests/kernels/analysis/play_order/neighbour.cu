__global__ void shift(int *a, int n) {
    int i = (gridDim.x - 1 - blockIdx.x) * blockDim.x + threadIdx.x;
    a[i + 1] = i;
    a[i] += 1;
}
