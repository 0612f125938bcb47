// Reads one column of a wide image; the index is computed in 64 bits.
extern "C" __global__ void big_image(const signed char *in, int *out, int first, int pitch, int column)
{
    int t = threadIdx.x;
    out[t] = in[(size_t)(first + t) * pitch + column];
}

/* hazard
trace = '''
    --grid 1 --block 4 --arg in=i8[8,65536]:mod(100) --arg out=i32[4]:uninit --arg first=2
    --arg pitch=65536 --arg column=5'''
hazards = []
seen = []
first = { out = [77, 13, 49, 85] }
*/
