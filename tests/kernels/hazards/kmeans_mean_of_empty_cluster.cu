// k-means: new centres. Broken: a cluster without points divides by zero.
extern "C" __global__ void kmeans_mean_of_empty_cluster(const int *sum, const int *count, int *centre, int K)
{
    int k = threadIdx.x;
    if (k < K)
        centre[k] = sum[k] / count[k];
}

/* hazard
trace = '''
    --grid 1 --block 32 --arg sum=i32[8]:iota --arg count=i32[8]:mod(4) --arg centre=i32[8]:uninit --arg K=8'''
hazards = [{ kind = "division-by-zero", array = "", lines = [6] }]
seen = []
unseen = "Integer division by zero gives a wrong number on a GPU, and no tool looks."
*/
