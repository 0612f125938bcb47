// y = a x + y. Broken: the grid has more threads than the arrays have elements, and nothing holds them back.
extern "C" __global__ void saxpy_without_guard(float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = a * x[i] + y[i];
}

/* hazard
trace = "--grid 2 --block 64 --arg a=2 --arg x=f32[100]:iota --arg y=f32[100]:ones"
hazards = [
    { kind = "out-of-bounds", array = "x", lines = [5] },
    { kind = "out-of-bounds", array = "y", lines = [5] },
]
seen = ["memcheck"]
*/
