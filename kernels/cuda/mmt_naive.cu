// P = M times M transposed, one thread per element: both operands are rows of one matrix.
//
// idea     P[i][j] is the dot product of rows i and j of M
// mapping  threadIdx.x runs down the rows i, as the published study has it; option x lets it run along the columns j
// watch    a warp reads as many rows of M as its block is wide, whichever way x runs; only the stores differ

#ifdef X_ON_COLUMN
#define ROW y
#define COL x
#else
#define ROW x  // as the published study has it
#define COL y
#endif

extern "C" __global__ void mmt_naive(const float *M, float *P, int n)
{
    int i = blockIdx.ROW * blockDim.ROW + threadIdx.ROW;
    int j = blockIdx.COL * blockDim.COL + threadIdx.COL;

    if (i < n && j < n) {
        float sum = 0.0f;
        for (int k = 0; k < n; ++k)
            sum += M[i * n + k] * M[j * n + k];
        P[i * n + j] = sum;
    }
}

/* tilescope
title    = "M·Mᵀ, one thread per element"
teaches  = "Each thread walks two rows of the same matrix."
workload = "mmt"
order    = 24
size     = [4, 4, 4]
block    = [2, 2]
blocks   = [[8, 8], [16, 16], [32, 32]]
grid     = ["(n + block_x - 1) / block_x", "(n + block_y - 1) / block_y"]

[option.x]
title    = "threadIdx.x gives the"
choices  = { row = {}, column = { X_ON_COLUMN = "1" } }
*/
