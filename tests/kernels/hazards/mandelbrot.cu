// Steps until a point of the plane escapes.
extern "C" __global__ void mandelbrot(int *steps, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float re = 3.0f * x / width - 2.0f, im = 2.0f * y / height - 1.0f, u = 0.0f, v = 0.0f;
    int n = 0;
    while (n < 20 && u * u + v * v < 4.0f) {
        float next = u * u - v * v + re;
        v = 2.0f * u * v + im;
        u = next;
        ++n;
    }
    steps[y * width + x] = n;
}

/* hazard
trace = "--grid 2,2 --block 8,4 --arg steps=i32[8,16]:uninit --arg width=16 --arg height=8"
hazards = []
seen = []
*/
