// One generation of Conway's game of life on a torus.
extern "C" __global__ void life(const unsigned char *in, unsigned char *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int alive = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
            if (dx || dy)
                alive += in[(y + dy + height) % height * width + (x + dx + width) % width];
    out[y * width + x] = alive == 3 || (alive == 2 && in[y * width + x]);
}

/* hazard
trace = '''
    --grid 2,2 --block 8,8 --arg in=u8[10,12]:randint(0,1,5) --arg out=u8[10,12]:uninit --arg width=12
    --arg height=10'''
hazards = []
seen = []
*/
