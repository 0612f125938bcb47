// A lesson: partial sums are added to C, which nobody has set to zero.
//
// idea     two blocks share an element, each takes half of k; atomicAdd adds to what is there
// mapping  threadIdx.x runs along a row of C; blockIdx.z is the half
// watch    the first atomicAdd of an element adds to whatever the memory held before

extern "C" __global__ void lesson_uncleared_target(const float *A, const float *B, float *C, int M, int N, int K)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int first = K * blockIdx.z / gridDim.z;
    int last = K * (blockIdx.z + 1) / gridDim.z;

    if (row < M && col < N) {
        float sum = 0.0f;
        for (int k = first; k < last; ++k)
            sum += A[row * K + k] * B[k * N + col];
        atomicAdd(&C[row * N + col], sum);
    }
}

/* tilescope
title    = "Lesson: the target was not cleared"
teaches  = "What is added to must hold zeros before the launch."
flaw     = "Sums are added to C, which was never set to zero."
workload = "matmul"
order    = 104
size     = [4, 4, 4]
block    = [2, 2]
blocks   = [[8, 8], [16, 16], [32, 32]]
grid     = ["(N + block_x - 1) / block_x", "(M + block_y - 1) / block_y", "2"]
*/
