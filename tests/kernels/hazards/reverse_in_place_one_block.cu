// Reverses an array in place. Broken: thread t writes where thread n - 1 - t may still have to read.
extern "C" __global__ void reverse_in_place_one_block(int *a, int n)
{
    int t = threadIdx.x;
    int x = a[n - 1 - t];
    a[t] = x;
}

/* hazard
trace = "--grid 1 --block 64 --arg a=i32[64]:iota --arg n=64"
hazards = [{ kind = "data-race", array = "a", lines = [5, 6] }]
seen = []
unseen = "racecheck watches shared memory only, not global memory."
*/
