// Two steps of a stencil in one kernel. Broken: __syncthreads() does not wait for the block next door.
extern "C" __global__ void halo_from_next_block(const float *in, float *half, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    half[i] = in[i] * 0.5f;
    __syncthreads();
    out[i] = half[i] + half[(i + 64) % n];
}

/* hazard
trace = '''
    --grid 2 --block 64 --arg in=f32[128]:iota --arg half=f32[128]:zeros --arg out=f32[128]:uninit --arg n=128'''
hazards = [{ kind = "data-race", array = "half", lines = [5, 7] }]
seen = []
unseen = "racecheck watches shared memory only, not global memory."
*/
