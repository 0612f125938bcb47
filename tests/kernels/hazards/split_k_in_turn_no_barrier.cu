// Split-K: the blocks of a tile add their parts one after another, in turn. Broken: the turn is handed on before all
// threads have added.
extern "C" __global__ void split_k_in_turn_no_barrier(const float *a, float *c, int *turn)
{
    int t = threadIdx.x, tile = blockIdx.x, k = blockIdx.y;
    float sum = 0;
    for (int i = 0; i < 4; ++i)
        sum += a[((tile * gridDim.y + k) * 4 + i) * 64 + t];
    if (t == 0) {
        while (atomicAdd(&turn[tile], 0) != k)
            ;
        __threadfence();
    }
    __syncthreads();
    c[tile * 64 + t] = k == 0 ? sum : c[tile * 64 + t] + sum;
    __threadfence();
    if (t == 0)
        atomicExch(&turn[tile], k + 1);
}

/* hazard
trace = "--grid 2,3 --block 64 --arg a=f32[1536]:ones --arg c=f32[128]:uninit --arg turn=i32[2]:zeros"
hazards = [{ kind = "data-race", array = "c", lines = [15] }]
seen = []
unseen = "racecheck watches shared memory only, not global memory."
*/
