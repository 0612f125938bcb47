// Each thread adds up its window of five values. Broken: the window in its struct has room for four.
struct Window {
    float total;
    float values[4];
    int count;
};

extern "C" __global__ void window_in_struct_overrun(const float *in, float *out)
{
    __shared__ Window windows[32];
    Window &mine = windows[threadIdx.x];
    mine.total = 0.0f;
    mine.count = 5;
    for (int k = 0; k < 5; ++k)
        mine.values[k] = in[threadIdx.x + k];
    for (int k = 0; k < 4; ++k)
        mine.total += mine.values[k];
    out[threadIdx.x] = mine.total / 5.0f;
}

/* hazard
trace = "--grid 1 --block 32 --arg in=f32[36]:iota --arg out=f32[32]:uninit"
hazards = [
    { kind = "out-of-bounds", array = "windows", lines = [15], message = "writes windows[0].values[4], which is windows[0].count, but values has 4 elements: 0 to 3" },
]
seen = []
unseen = "memcheck: what lies behind the member belongs to the struct."
*/
