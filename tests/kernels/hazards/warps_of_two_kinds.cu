// One warp fills two buffers in turn, the other one empties them. Both meet at barrier 1, each at its own place.
extern "C" __global__ void warps_of_two_kinds(const int *in, int *out)
{
    __shared__ int s[2][32];
    int w = threadIdx.x / 32, l = threadIdx.x % 32;
    for (int k = 0; k < 4; ++k) {
        if (w == 0) {
            s[k % 2][l] = in[k * 32 + l];
            asm volatile("bar.sync 1, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            out[k * 32 + l] = s[k % 2][31 - l];
        }
    }
}

/* hazard
trace = "--grid 1 --block 64 --arg in=i32[128]:iota --arg out=i32[128]:uninit"
hazards = []
first = { out = [31, 30, 29, 28, 27, 26, 25, 24] }
endless = true
seen = []
*/
