// Several steps of heat flow in shared memory; two pointers into it change places after every step.
extern "C" __global__ void heat_two_buffers(float *a, int steps)
{
    __shared__ float s[2][64];
    float *now = s[0], *next = s[1];
    int t = threadIdx.x;
    now[t] = a[t];
    __syncthreads();
    for (int step = 0; step < steps; ++step) {
        next[t] = t == 0 || t == 63 ? now[t] : 0.5f * now[t] + 0.25f * (now[t - 1] + now[t + 1]);
        __syncthreads();
        float *last = now;
        now = next;
        next = last;
    }
    a[t] = now[t];
}

/* hazard
trace = "--grid 1 --block 64 --arg a=f32[64]:iota --arg steps=3"
hazards = []
seen = []
first = { a = [0, 1, 2, 3, 4, 5, 6, 7] }
*/
