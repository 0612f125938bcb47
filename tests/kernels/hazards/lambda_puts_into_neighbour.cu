// A lambda stores into shared memory. Broken: the neighbour reads without a barrier.
extern "C" __global__ void lambda_puts_into_neighbour(float *a)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    auto put = [&](float x) { s[(t + 1) % 64] = x; };
    put(a[t]);
    a[t] = s[t];
}

/* hazard
trace = "--grid 1 --block 64 --arg a=f32[64]:iota"
hazards = [{ kind = "data-race", array = "s", lines = [6, 8] }]
seen = ["racecheck"]
*/
