// Each warp reverses its own 32 elements, in a loop, with __syncwarp alone.
extern "C" __global__ void warps_reverse(int *data, int times)
{
    __shared__ int s[4][32];
    int w = threadIdx.x / 32, l = threadIdx.x % 32;
    for (int k = 0; k < times; ++k) {
        s[w][l] = data[threadIdx.x];
        __syncwarp();
        data[threadIdx.x] = s[w][31 - l];
        __syncwarp();
    }
}

/* hazard
trace = "--grid 1 --block 128 --arg data=i32[128]:iota --arg times=3"
hazards = []
first = { data = [31, 30, 29, 28, 27, 26, 25, 24] }
seen = []
*/
