// Macros of nvcc on Linux and of the ignored headers. The architecture is Ampere, 8.0.
#define __CUDACC__ 1
#define __CUDACC_RTC__ 1
#define __CUDA_ARCH__ 800
#define __cplusplus 201703L
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define CUDA_VERSION 13000
#define CUDART_VERSION 13000
#define __linux__ 1
#define __unix__ 1
#define __x86_64__ 1
#define __align__(n) alignas(n)
#define _Pragma(text)
#define __pragma(text)
#define consteval constexpr
#define __builtin_assume(x) assert(x)
#define __assume(x) assert(x)
#define __builtin_unreachable() assert(false)
#define __builtin_expect(x, expected) (x)
#define __builtin_popcount(x) __popc(x)
#define __builtin_clz(x) __clz(x)
#define __builtin_ffs(x) __ffs(x)
#define __builtin_assume_aligned(p, ...) (p)
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define UINT_MAX 4294967295u
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define DBL_MAX 1.7976931348623158e+308
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
#define INT32_MAX 2147483647
#define INT32_MIN (-2147483647 - 1)
#define UINT32_MAX 4294967295u
#define LLONG_MAX 9223372036854775807ll
#define LLONG_MIN (-9223372036854775807ll - 1)
#define INT64_MAX 9223372036854775807ll
#define INT64_MIN (-9223372036854775807ll - 1)
#define ULLONG_MAX 18446744073709551615ull
#define UINT64_MAX 18446744073709551615ull
#define SIZE_MAX 18446744073709551615ull
#define LONG_MAX 9223372036854775807ll
#define LONG_MIN (-9223372036854775807ll - 1)
#define ULONG_MAX 18446744073709551615ull
#define INT8_MAX 127
#define INT8_MIN (-128)
#define INT16_MAX 32767
#define INT16_MIN (-32768)
#define UINT8_MAX 255
#define UINT16_MAX 65535
#define USHRT_MAX 65535
#define CHAR_MAX 127
#define CHAR_MIN (-128)
#define SCHAR_MAX 127
#define SCHAR_MIN (-128)
#define __FLT_MAX__ 3.402823466e+38f
#define __FLT_MIN__ 1.175494351e-38f
#define __INT_MAX__ 2147483647
#define SHRT_MAX 32767
#define SHRT_MIN (-32768)
#define UCHAR_MAX 255
#define CHAR_BIT 8
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
#define HUGE_VALF __int_as_float(0x7f800000)
#define CUDART_INF_F __int_as_float(0x7f800000)
#define CUDART_NAN_F __int_as_float(0x7fffffff)
#define CUDART_PI_F 3.141592654f
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT1_2 0.70710678118654752440
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_LOG2E 1.44269504088896340736
#define M_LOG10E 0.43429448190325182765
#define M_E 2.7182818284590452354
#define M_SQRT2 1.41421356237309504880
