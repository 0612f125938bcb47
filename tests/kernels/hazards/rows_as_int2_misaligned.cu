// Swaps pairs of a matrix's elements. Broken: rows of 7 elements put every second row at an odd multiple of 4 bytes.
extern "C" __global__ void rows_as_int2_misaligned(const int *in, int *out)
{
    int row = threadIdx.y, pair = threadIdx.x;
    const int2 *from = reinterpret_cast<const int2 *>(in + row * 7);
    int2 x = from[pair];
    out[row * 6 + 2 * pair] = x.y;
    out[row * 6 + 2 * pair + 1] = x.x;
}

/* hazard
trace = "--grid 1 --block 3,8 --arg in=i32[8,7]:iota --arg out=i32[8,6]:uninit"
hazards = [{ kind = "misaligned-access", array = "in", lines = [6] }]
seen = ["memcheck"]
*/
