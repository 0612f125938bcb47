// Rotates a block's elements by one: every thread reads before any thread writes.
extern "C" __global__ void rotate_in_shared(float *a)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    float next = s[(t + 1) % 64];
    __syncthreads();
    s[t] = next;
    a[t] = s[t];
}

/* hazard
trace = "--grid 1 --block 64 --arg a=f32[64]:iota"
hazards = []
seen = []
first = { a = [1, 2, 3, 4, 5, 6, 7, 8] }
*/
