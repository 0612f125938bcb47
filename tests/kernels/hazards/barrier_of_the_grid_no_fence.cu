// All blocks wait for each other, then each reads what its neighbour wrote. Broken: without a fence
// nothing says that the neighbour's values are there.
extern "C" __global__ void barrier_of_the_grid_no_fence(int *arrived, int *left, int *out)
{
    left[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x + threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1);
        while (atomicAdd(arrived, 0) < gridDim.x) {
        }
        __threadfence();
    }
    __syncthreads();
    int next = (blockIdx.x + 1) % gridDim.x;
    out[blockIdx.x * blockDim.x + threadIdx.x] = left[next * blockDim.x + threadIdx.x];
}

/* hazard
trace = "--grid 3 --block 64 --arg arrived=i32[1]:zeros --arg left=i32[192]:uninit --arg out=i32[192]:uninit"
hazards = [{ kind = "data-race", array = "left", lines = [5, 15] }]
seen = []
unseen = "racecheck watches shared memory only, not global memory."
*/
