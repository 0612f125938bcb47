// Reads one column of an image that is 65,536 bytes wide. Broken: row * pitch does not fit an int from row 32,768 on.
extern "C" __global__ void big_image_index_overflow(const signed char *in, int *out, int first, int pitch, int column)
{
    int t = threadIdx.x;
    out[t] = in[(first + t) * pitch + column];
}

/* hazard
trace = '''
    --grid 1 --block 4 --arg in=i8[4,65536]:mod(100) --arg out=i32[4]:uninit --arg first=65536
    --arg pitch=65536 --arg column=5'''
hazards = [{ kind = "index-overflow", array = "", lines = [5] }]
seen = []
unseen = "memcheck: the wrapped index is a valid one."
*/
