// Rotates a block's elements by one. Broken: a thread may overwrite what its neighbour has not read yet.
extern "C" __global__ void rotate_in_shared_no_barrier(float *a)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    float next = s[(t + 1) % 64];
    s[t] = next;
    a[t] = s[t];
}

/* hazard
trace = "--grid 1 --block 64 --arg a=f32[64]:iota"
hazards = [{ kind = "data-race", array = "s", lines = [8, 9] }]
seen = ["racecheck"]
*/
