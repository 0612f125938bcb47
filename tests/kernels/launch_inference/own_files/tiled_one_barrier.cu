// tiled matmul, version 1 -- results are sometimes wrong, why??
#define TS 16

__global__ void myGEMM2(const int M, const int N, const int K, const float* A, const float* B, float* C) {
    // Thread identifiers
    const int row = threadIdx.x; // Local row ID (max: TS)
    const int col = threadIdx.y; // Local col ID (max: TS)
    const int globalRow = TS*blockIdx.x + row; // Row ID of C (0..M)
    const int globalCol = TS*blockIdx.y + col; // Col ID of C (0..N)

    // Local memory to fit a tile of TS*TS elements of A and B
    __shared__ float Asub[TS][TS];
    __shared__ float Bsub[TS][TS];
    float acc = 0.0f;

    const int numTiles = K/TS;
    for (int t=0; t<numTiles; t++) {
        // Load one tile of A and B into local memory
        const int tiledRow = TS*t + row;
        const int tiledCol = TS*t + col;
        Asub[col][row] = A[tiledCol*M + globalRow];
        Bsub[col][row] = B[globalCol*K + tiledRow];

        // Synchronise to make sure the tile is loaded
        __syncthreads();

        // Perform the computation for a single tile
        for (int k=0; k<TS; k++) {
            acc += Asub[k][row] * Bsub[col][k];
        }
    }
    // Store the final result in C
    C[globalCol*M + globalRow] = acc;
}
