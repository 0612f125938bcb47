// Bitonic sort of one block in shared memory.
extern "C" __global__ void bitonic_sort(int *a)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    for (int k = 2; k <= 64; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            int other = t ^ j;
            if (other > t && ((t & k) == 0) == (s[t] > s[other])) {
                int x = s[t];
                s[t] = s[other];
                s[other] = x;
            }
            __syncthreads();
        }
    a[t] = s[t];
}

/* hazard
trace = "--grid 1 --block 64 --arg a=i32[64]:mod(8)"
hazards = []
seen = []
first = { a = [0, 0, 0, 0, 0, 0, 0, 0] }
*/
