// k-means, second half: sums and sizes of the clusters, with atomics.
extern "C" __global__ void kmeans_update(const int *x, const int *label, int *sum, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&sum[label[i]], x[i]);
        atomicAdd(&count[label[i]], 1);
    }
}

/* hazard
trace = '''
    --grid 2 --block 64 --arg x=i32[100]:iota --arg label=i32[100]:mod(4) --arg sum=i32[4]:zeros
    --arg count=i32[4]:zeros --arg n=100'''
hazards = []
seen = []
first = { sum = [1200, 1225, 1250, 1275], count = [25, 25, 25, 25] }
*/
