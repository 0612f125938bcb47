// Square roots. Broken: some elements are negative, which the assertion finds.
#include <assert.h>
extern "C" __global__ void sqrt_of_negative_asserted(const float *in, float *out)
{
    int i = threadIdx.x;
    assert(in[i] >= 0.0f);
    out[i] = sqrtf(in[i]);
}

/* hazard
trace = "--grid 1 --block 32 --arg in=f32[32]:random(1) --arg out=f32[32]:uninit"
hazards = [{ kind = "assertion", array = "", lines = [6] }]
seen = []
unseen = "The driver itself prints the assertion and ends the context."
*/
