// Declarations of <cmath> that NVRTC lacks: overloads for integers, which return double, and INFINITY and NAN.
// double is a dependent type, so that other types only fail where the overload is used.
template <typename T> struct ts_whole {};
#define TS_WHOLE(kind) template <> struct ts_whole<kind> { typedef double type; };
TS_WHOLE(char) TS_WHOLE(signed char) TS_WHOLE(unsigned char) TS_WHOLE(short) TS_WHOLE(unsigned short) TS_WHOLE(int)
TS_WHOLE(unsigned int) TS_WHOLE(long) TS_WHOLE(unsigned long) TS_WHOLE(long long) TS_WHOLE(unsigned long long)
#define TS_ONE(name) \
    template <typename T> __device__ __forceinline__ typename ts_whole<T>::type name(T x) \
    { \
        return name((typename ts_whole<T>::type)x); \
    }
TS_ONE(sqrt) TS_ONE(cbrt) TS_ONE(rsqrt) TS_ONE(exp) TS_ONE(exp2) TS_ONE(exp10) TS_ONE(expm1) TS_ONE(log) TS_ONE(log2)
TS_ONE(log10) TS_ONE(log1p) TS_ONE(sin) TS_ONE(cos) TS_ONE(tan) TS_ONE(asin) TS_ONE(acos) TS_ONE(atan) TS_ONE(sinh)
TS_ONE(cosh) TS_ONE(tanh) TS_ONE(floor) TS_ONE(ceil) TS_ONE(round) TS_ONE(trunc) TS_ONE(rint) TS_ONE(fabs) TS_ONE(erf)
TS_ONE(erfc)
#define TS_TWO(name) \
    template <typename T, typename U, typename V = typename ts_whole<T>::type> \
    __device__ __forceinline__ typename ts_whole<U>::type name(T x, U y) \
    { \
        return name((V)x, (V)y); \
    }
TS_TWO(pow) TS_TWO(fmax) TS_TWO(fmin) TS_TWO(fmod) TS_TWO(atan2) TS_TWO(hypot)
#undef TS_WHOLE
#undef TS_ONE
#undef TS_TWO
#ifndef INFINITY
#define INFINITY (1.0f / 0.0f)
#endif
#ifndef NAN
#define NAN (0.0f / 0.0f)
#endif
