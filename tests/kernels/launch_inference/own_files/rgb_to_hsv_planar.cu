#include <math.h>
// planar RGB floats to hue and value; one thread for each pixel
__global__ void rgb2hv(const float *r, const float *g, const float *b, float *hue, float *val, int npixels)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    int step = blockDim.x * gridDim.x;
    for (; i < npixels; i += step) {
        float mx = fmaxf(r[i], fmaxf(g[i], b[i]));
        float mn = fminf(r[i], fminf(g[i], b[i]));
        float d = mx - mn, h = 0.0f;
        if (d > 0.0f) {
            if (mx == r[i]) h = fmodf((g[i] - b[i]) / d + 6.0f, 6.0f);
            else if (mx == g[i]) h = (b[i] - r[i]) / d + 2.0f;
            else h = (r[i] - g[i]) / d + 4.0f;
        }
        hue[i] = 60.0f * h;
        val[i] = mx;
    }
}
