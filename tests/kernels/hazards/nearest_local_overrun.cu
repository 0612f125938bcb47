// The four smallest of each thread's eight values. Broken: the first loop fills five of the four places.
extern "C" __global__ void nearest_local_overrun(const float *in, float *out)
{
    float best[4];
    int t = threadIdx.x;
    for (int k = 0; k <= 4; ++k)
        best[k] = 1e30f;
    for (int i = 0; i < 8; ++i) {
        float x = in[i * blockDim.x + t];
        for (int k = 0; k < 4; ++k)
            if (x < best[k]) {
                float larger = best[k];
                best[k] = x;
                x = larger;
            }
    }
    out[t] = best[3];
}

/* hazard
trace = "--grid 1 --block 32 --arg in=f32[8,32]:random(1) --arg out=f32[32]:uninit"
hazards = [{ kind = "out-of-bounds", array = "best", lines = [7] }]
seen = []
unseen = "memcheck: the compiler keeps the four places in registers, so no memory is accessed."
*/
