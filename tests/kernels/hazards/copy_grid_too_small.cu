// Copies an array. Broken: the number of blocks is rounded down, and the rest of the result is never written.
extern "C" __global__ void copy_grid_too_small(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

/* hazard
trace = "--grid 1 --block 64 --arg in=f32[100]:iota --arg out=f32[100]:uninit --arg n=100"
hazards = [{ kind = "result-never-written", array = "out", lines = [6] }]
seen = []
unseen = "No tool knows which elements are the result; initcheck speaks only when the host's code reads on the device."
*/
