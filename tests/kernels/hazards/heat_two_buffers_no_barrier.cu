// Several steps of heat flow. Broken: nothing makes a warp wait until its neighbours have finished the step.
extern "C" __global__ void heat_two_buffers_no_barrier(float *a, int steps)
{
    __shared__ float s[2][64];
    int t = threadIdx.x;
    s[0][t] = a[t];
    s[1][t] = 0.0f;
    __syncthreads();
    for (int step = 0; step < steps; ++step) {
        float *now = s[step % 2], *next = s[1 - step % 2];
        next[t] = t == 0 || t == 63 ? now[t] : 0.5f * now[t] + 0.25f * (now[t - 1] + now[t + 1]);
    }
    a[t] = s[steps % 2][t];
}

/* hazard
trace = "--grid 1 --block 64 --arg a=f32[64]:iota --arg steps=3"
hazards = [{ kind = "data-race", array = "s", lines = [11] }]
seen = ["racecheck"]
*/
