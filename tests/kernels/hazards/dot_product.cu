// Dot product: a part for each thread, a tree for each block, one atomic for the total.
extern "C" __global__ void dot_product(const int *a, const int *b, int *result, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x, sum = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
        sum += a[i] * b[i];
    s[t] = sum;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d >>= 1) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(result, s[0]);
}

/* hazard
trace = '''
    --grid 2 --block 64 --arg a=i32[300]:iota --arg b=i32[300]:ones --arg result=i32[1]:zeros --arg n=300'''
hazards = []
seen = []
first = { result = [44850] }
*/
