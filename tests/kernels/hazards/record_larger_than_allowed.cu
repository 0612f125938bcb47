// Adds up in global memory. Broken only in that the record of so many accesses outgrows what may be kept.
extern "C" __global__ void record_larger_than_allowed(const float *in, float *out, int n)
{
    int t = threadIdx.x;
    out[t] = 0.0f;
    for (int k = 0; k < n; ++k)
        out[t] += in[k];
}

/* hazard
trace = '''
    --grid 1 --block 64 --arg in=f32[1000]:ones --arg out=f32[64]:uninit --arg n=1000 --max-memory 100000'''
hazards = [{ kind = "budget-exceeded", array = "", lines = [6] }]
seen = []
unseen = "Nothing is wrong: the simulator was told how much to record."
*/
