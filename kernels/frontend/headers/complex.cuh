// cuComplex.h: types of complex numbers, also by cuFFT's names.
#ifndef OWN_COMPLEX
#define OWN_COMPLEX
typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;
typedef cuFloatComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;
typedef float cufftReal;
typedef double cufftDoubleReal;
__device__ inline cuFloatComplex make_cuFloatComplex(float x, float y) { return make_float2(x, y); }
__device__ inline cuDoubleComplex make_cuDoubleComplex(double x, double y) { return make_double2(x, y); }
__device__ inline cuComplex make_cuComplex(float x, float y) { return make_float2(x, y); }
#endif
