// Names without a declaration or a definition: the error names them and says what to do.

// Undeclared names.
#define UNDECLARED_NAMES(NAME, ...) \
    __global__ void NAME(int *out) { \
        int t = threadIdx.x, r = 0; __VA_ARGS__; out[t] = r; \
    }
UNDECLARED_NAMES(undeclared_names_1, constexpr int rows = 64 / WARPS, all = 8 * rows; float sums[all])
//                                                                                               ^ error: 'all' is not, because WARPS is declared nowhere
UNDECLARED_NAMES(undeclared_names_2, float sums[8 / blockDim.x])
//                                              ^ error: '8 / blockDim.x' is not; use #define
UNDECLARED_NAMES(undeclared_names_3, r = warpSum(r))
//                                       ^ error: function 'warpSum'; neither this file, with what it includes, nor the simulator
