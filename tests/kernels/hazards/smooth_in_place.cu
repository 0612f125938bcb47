// Three-point mean. Broken: it overwrites the array that the neighbours, in this block and the next, still read.
extern "C" __global__ void smooth_in_place(float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) {
        float mean = (a[i - 1] + a[i] + a[i + 1]) / 3.0f;
        a[i] = mean;
    }
}

/* hazard
trace = "--grid 2 --block 64 --arg a=f32[128]:random(1) --arg n=128"
hazards = [{ kind = "data-race", array = "a", lines = [6, 7] }]
seen = []
unseen = "racecheck watches shared memory only, not global memory."
*/
