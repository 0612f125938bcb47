#include "no_such_header.h"
WARNINGS_OFF()
WARNINGS_OFF_TOO(4127, "x")
LIBRARY_BEGIN
namespace a {
struct S { int x; };
DECLARE(S)
}
WARNINGS_ON()
template <typename T> __device__ T twice(T x) { return 2 * x; }
API
__global__ void k(int *out, a::S s) { out[threadIdx.x] = twice(s.x); }
LIBRARY_END
