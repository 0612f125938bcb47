// Two phases, chosen from a table of functions. Broken: nothing waits between them.
typedef void (*phase_t)(float *s, int t);

__device__ void scale(float *s, int t)
{
    s[t] = 2 * s[t];
}

__device__ void turn(float *s, int t)
{
    float other = s[63 - t];
    __syncthreads();
    s[t] = other;
}

extern "C" __global__ void phases_by_pointer_no_barrier(float *a, int phases)
{
    __shared__ float s[64];
    phase_t table[2] = {scale, turn};
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    for (int phase = 0; phase < phases; ++phase)
        table[phase](s, t);
    a[t] = s[t];
}

/* hazard
trace = "--grid 1 --block 64 --arg a=f32[64]:iota --arg phases=2"
hazards = [{ kind = "data-race", array = "s", lines = [6, 11] }]
seen = ["racecheck"]
*/
