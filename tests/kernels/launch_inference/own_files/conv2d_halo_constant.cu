// PMPP-style 2D convolution: output tile of O_TILE_WIDTH, input tile with halo, mask in constant memory
#define MASK_WIDTH 5
#define O_TILE_WIDTH 12
#define BLOCK_WIDTH (O_TILE_WIDTH + MASK_WIDTH - 1)

__constant__ float M[MASK_WIDTH * MASK_WIDTH];

__global__ void convolution_2D(float *P, const float *N, int height, int width)
{
    __shared__ float N_ds[BLOCK_WIDTH][BLOCK_WIDTH];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row_o = blockIdx.y * O_TILE_WIDTH + ty;
    int col_o = blockIdx.x * O_TILE_WIDTH + tx;
    int row_i = row_o - MASK_WIDTH / 2;
    int col_i = col_o - MASK_WIDTH / 2;

    if ((row_i >= 0) && (row_i < height) && (col_i >= 0) && (col_i < width))
        N_ds[ty][tx] = N[row_i * width + col_i];
    else
        N_ds[ty][tx] = 0.0f;
    __syncthreads();

    float output = 0.0f;
    if (ty < O_TILE_WIDTH && tx < O_TILE_WIDTH) {
        for (int i = 0; i < MASK_WIDTH; i++)
            for (int j = 0; j < MASK_WIDTH; j++)
                output += M[i * MASK_WIDTH + j] * N_ds[i + ty][j + tx];
        if (row_o < height && col_o < width)
            P[row_o * width + col_o] = output;
    }
}

void launch(float *d_P, const float *d_N, const float *h_M, int height, int width)
{
    cudaMemcpyToSymbol(M, h_M, sizeof(float) * MASK_WIDTH * MASK_WIDTH);
    dim3 dimBlock(BLOCK_WIDTH, BLOCK_WIDTH, 1);
    dim3 dimGrid((width - 1) / O_TILE_WIDTH + 1, (height - 1) / O_TILE_WIDTH + 1, 1);
    convolution_2D<<<dimGrid, dimBlock>>>(d_P, d_N, height, width);
}
