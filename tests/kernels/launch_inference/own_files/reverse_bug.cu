// Reverse each block's part of an array with shared memory
#define BLOCK 64

__global__ void reverseBlock(int *d_out, int *d_in)
{
    __shared__ int s_data[BLOCK];
    int in = blockDim.x * blockIdx.x + threadIdx.x;
    s_data[blockDim.x - 1 - threadIdx.x] = d_in[in];
    // TODO: do I need something here?
    int out = blockDim.x * (gridDim.x - 1 - blockIdx.x) + threadIdx.x;
    d_out[out] = s_data[threadIdx.x];
}

int main()
{
    int n = 256 * 1024;
    int *d_a, *d_b;
    cudaMalloc(&d_a, n * sizeof(int));
    cudaMalloc(&d_b, n * sizeof(int));
    reverseBlock<<<n / BLOCK, BLOCK>>>(d_b, d_a);
    cudaDeviceSynchronize();
}
