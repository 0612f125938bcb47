// Three-point mean from one array into another.
extern "C" __global__ void smooth(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = i == 0 || i == n - 1 ? in[i] : (in[i - 1] + in[i] + in[i + 1]) / 3.0f;
}

/* hazard
trace = "--grid 2 --block 64 --arg in=f32[100]:iota --arg out=f32[100]:uninit --arg n=100"
hazards = []
seen = []
first = { out = [0, 1, 2, 3, 4, 5, 6, 7] }
*/
