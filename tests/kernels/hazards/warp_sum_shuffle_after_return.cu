// Sum of a warp. Broken: the lanes beyond the end have returned, and their values are added all the same.
extern "C" __global__ void warp_sum_shuffle_after_return(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int sum = in[i];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    if (i % 32 == 0)
        out[i / 32] = sum;
}

/* hazard
trace = "--grid 1 --block 64 --arg in=i32[50]:iota --arg out=i32[2]:uninit --arg n=50"
hazards = [{ kind = "inactive-shuffle", array = "", lines = [9] }]
seen = []
unseen = "synccheck looks at barriers; what a shuffle gets from a lane that is not there is merely undefined."
*/
