// Second pass over a workspace. Broken: the first pass wrote every other element only.
extern "C" __global__ void workspace_read_before_written(const float *in, float *work, float *out)
{
    int t = threadIdx.x;
    if (t % 2 == 0)
        work[t] = in[t] * 2.0f;
    __syncthreads();
    out[t] = work[63 - t];
    __syncthreads();
    work[t] = 0.0f;
}

/* hazard
trace = "--grid 1 --block 64 --arg in=f32[64]:iota --arg work=f32[64]:uninit --arg out=f32[64]:uninit"
hazards = [{ kind = "uninitialised-read", array = "work", lines = [8] }]
seen = ["initcheck"]
*/
