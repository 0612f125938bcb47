#include <cuComplex.h>
__global__ void k(const cuDoubleComplex *in, cuDoubleComplex *out) {
    cuFloatComplex a = make_cuFloatComplex(2, 1);
    out[0] = make_cuDoubleComplex(in[0].x - a.x, in[0].y + make_cuComplex(3, 4).y);
}
