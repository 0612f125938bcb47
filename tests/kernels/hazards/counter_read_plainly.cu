// Counts the elements above a limit and stores the count. Broken: one block reads the counter while others add.
extern "C" __global__ void counter_read_plainly(const float *in, int *count, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] > 0.0f)
        atomicAdd(&count[0], 1);
    __syncthreads();
    if (i == 0)
        out[0] = count[0];
}

/* hazard
trace = "--grid 2 --block 64 --arg in=f32[128]:random(1) --arg count=i32[1]:zeros --arg out=i32[1]:uninit"
hazards = [{ kind = "data-race", array = "count", lines = [6, 9] }]
seen = []
unseen = "racecheck watches shared memory only, not global memory."
*/
