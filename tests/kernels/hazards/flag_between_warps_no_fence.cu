// The first warp waits for what the second one leaves behind, without a barrier of the block. Broken:
// nothing keeps the sum in front of the flag.
extern "C" __global__ void flag_between_warps_no_fence(const int *in, int *ready, int *sum, int *out)
{
    int t = threadIdx.x;
    if (t == 32) {
        int total = 0;
        for (int i = 0; i < 64; i++)
            total += in[i];
        sum[0] = total;
        atomicExch(ready, 1);
    }
    if (t == 0) {
        while (atomicAdd(ready, 0) == 0) {
        }
        __threadfence_block();
        out[0] = sum[0];
    }
}

/* hazard
trace = '''
    --grid 1 --block 64 --arg in=i32[64]:iota --arg ready=i32[1]:zeros --arg sum=i32[1]:zeros
    --arg out=i32[1]:uninit'''
hazards = [{ kind = "data-race", array = "sum", lines = [10, 17] }]
seen = []
unseen = "racecheck watches shared memory only, not global memory."
*/
