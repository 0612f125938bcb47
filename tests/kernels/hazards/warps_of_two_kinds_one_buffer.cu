// One warp fills a buffer, the other one empties it. Broken: it is filled anew before all of it is read.
extern "C" __global__ void warps_of_two_kinds_one_buffer(const int *in, int *out)
{
    __shared__ int s[32];
    int w = threadIdx.x / 32, l = threadIdx.x % 32;
    for (int k = 0; k < 4; ++k) {
        if (w == 0) {
            s[l] = in[k * 32 + l];
            asm volatile("bar.sync 1, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            out[k * 32 + l] = s[31 - l];
        }
    }
}

/* hazard
trace = "--grid 1 --block 64 --arg in=i32[128]:iota --arg out=i32[128]:uninit"
hazards = [{ kind = "data-race", array = "s", lines = [8, 12] }]
endless = true
seen = ["racecheck"]
*/
