// Copies with a period. Broken: the period is zero for some elements.
extern "C" __global__ void wrap_around_modulo_zero(const int *in, const int *period, int *out)
{
    int i = threadIdx.x, p = period[i];
    out[i] = in[p > 0 ? i % p : i] + i % p;
}

/* hazard
trace = "--grid 1 --block 32 --arg in=i32[32]:iota --arg period=i32[32]:mod(5) --arg out=i32[32]:uninit"
hazards = [{ kind = "division-by-zero", array = "", lines = [5] }]
seen = []
unseen = "Integer division by zero gives a wrong number on a GPU, and no tool looks."
*/
