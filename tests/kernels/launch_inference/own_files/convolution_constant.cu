#include <cuda_runtime.h>

#define MASK_WIDTH  5
#define MASK_RADIUS (MASK_WIDTH / 2)
#define O_TILE_WIDTH 12
#define BLOCK_WIDTH (O_TILE_WIDTH + MASK_WIDTH - 1)

__constant__ float M[MASK_WIDTH][MASK_WIDTH];

// The block loads a tile of BLOCK_WIDTH^2 inputs; only O_TILE_WIDTH^2 threads compute.
__global__ void convolution2D(const float *input, float *output, int height, int width)
{
    __shared__ float tile[BLOCK_WIDTH][BLOCK_WIDTH];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row_o = blockIdx.y * O_TILE_WIDTH + ty;
    int col_o = blockIdx.x * O_TILE_WIDTH + tx;
    int row_i = row_o - MASK_RADIUS;
    int col_i = col_o - MASK_RADIUS;

    if (row_i >= 0 && row_i < height && col_i >= 0 && col_i < width)
        tile[ty][tx] = input[row_i * width + col_i];
    else
        tile[ty][tx] = 0.0f;
    __syncthreads();

    if (ty < O_TILE_WIDTH && tx < O_TILE_WIDTH) {
        float sum = 0.0f;
        for (int i = 0; i < MASK_WIDTH; i++)
            for (int j = 0; j < MASK_WIDTH; j++)
                sum += M[i][j] * tile[i + ty][j + tx];
        if (row_o < height && col_o < width)
            output[row_o * width + col_o] = sum;
    }
}

void launch(const float *in, float *out, const float *mask, int height, int width)
{
    cudaMemcpyToSymbol(M, mask, sizeof(M));
    dim3 dimBlock(BLOCK_WIDTH, BLOCK_WIDTH);
    dim3 dimGrid((width - 1) / O_TILE_WIDTH + 1, (height - 1) / O_TILE_WIDTH + 1);
    convolution2D<<<dimGrid, dimBlock>>>(in, out, height, width);
}
