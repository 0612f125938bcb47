// Two arrays in one piece of dynamic shared memory.
extern "C" __global__ void dynamic_shared_two_arrays(const float *a, const float *b, float *out)
{
    extern __shared__ float both[];
    float *first = both, *second = both + blockDim.x;
    int t = threadIdx.x;
    first[t] = a[t];
    second[t] = b[t];
    __syncthreads();
    out[t] = first[blockDim.x - 1 - t] + second[t];
}

/* hazard
trace = '''
    --grid 1 --block 64 --dynamic-shared 512 --arg a=f32[64]:iota --arg b=f32[64]:ones --arg out=f32[64]:uninit'''
hazards = []
seen = []
first = { out = [64, 63, 62, 61, 60, 59, 58, 57] }
*/
