#include <stdio.h>

#define SIZE    (100*1024*1024)

// First attempt. The counts are too small!
__global__ void histo_kernel( unsigned char *buffer, long size, unsigned int *histo ) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    int stride = blockDim.x * gridDim.x;
    while (i < size) {
        histo[buffer[i]]++;
        i += stride;
    }
}

int main( void ) {
    unsigned char *dev_buffer;
    unsigned int *dev_histo;
    cudaMalloc( (void**)&dev_buffer, SIZE );
    cudaMalloc( (void**)&dev_histo, 256 * sizeof( int ) );
    cudaMemset( dev_histo, 0, 256 * sizeof( int ) );
    int blocks = 30;
    histo_kernel<<<blocks*2,256>>>( dev_buffer, SIZE, dev_histo );
    cudaFree( dev_histo );
    cudaFree( dev_buffer );
    return 0;
}
