// Largest element of a block. Broken: no thread has the number that blockDim.x is, so nobody stores the result.
extern "C" __global__ void maximum_stored_by_nobody(const int *in, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int d = 32; d > 0; d /= 2) {
        if (t < d)
            s[t] = max(s[t], s[t + d]);
        __syncthreads();
    }
    if (t == blockDim.x)
        out[0] = s[0];
}

/* hazard
trace = "--grid 1 --block 64 --arg in=i32[64]:iota --arg out=i32[1]:uninit"
hazards = [{ kind = "result-never-written", array = "out", lines = [14] }]
seen = []
unseen = "No tool knows which elements are the result."
*/
