#include <cub/cub.cuh>
struct Add {
    __device__ double4 operator()(double4 a, double4 b) const {
        return make_double4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    }
};
__global__ void k(double4 *out) {
    typedef cub::BlockReduce<double4, 64> Reduce;
    __shared__ typename Reduce::TempStorage space;
    double4 all = Reduce(space).Reduce(make_double4(threadIdx.x, 1, 2, 3), Add());
    if (threadIdx.x == 0) out[0] = all;
}
