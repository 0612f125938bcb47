// k-means, second half. Broken: one thread a block sets its cluster's sum to zero while others already add.
extern "C" __global__ void kmeans_update_first_write_plain(const int *x, const int *label, int *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 4)
        sum[i] = 0;
    __syncthreads();
    if (i < n)
        atomicAdd(&sum[label[i]], x[i]);
}

/* hazard
trace = '''
    --grid 2 --block 64 --arg x=i32[100]:iota --arg label=i32[100]:mod(4) --arg sum=i32[4]:zeros --arg n=100'''
hazards = [{ kind = "data-race", array = "sum", lines = [6, 9] }]
seen = []
unseen = "racecheck watches shared memory only, not global memory."
*/
