// Odd-even transposition sort. Broken: the rounds are not separated.
extern "C" __global__ void odd_even_sort_no_barrier(int *a)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[2 * t] = a[2 * t];
    s[2 * t + 1] = a[2 * t + 1];
    __syncthreads();
    for (int round = 0; round < 128; ++round) {
        int i = 2 * t + round % 2;
        if (i + 1 < 128) {
            int low = min(s[i], s[i + 1]), high = max(s[i], s[i + 1]); s[i] = low, s[i + 1] = high;
        }
    }
    __syncthreads();
    a[2 * t] = s[2 * t];
    a[2 * t + 1] = s[2 * t + 1];
}

/* hazard
trace = "--grid 1 --block 64 --arg a=i32[128]:mod(50)"
hazards = [{ kind = "data-race", array = "s", lines = [12] }]
seen = ["racecheck"]
*/
