// An index computed in int that does not fit one is reported; what provably fits costs nothing.

// An overflow is reported with its values.
//: C = zeros(64)
//: I = arange(64)
//: n = 46341
//: besides data-race, out-of-bounds
#define OVERFLOW_REPORTED(NAME, ...) \
    __global__ void NAME(float *C, const int *I, int n) { \
        int t = threadIdx.x; __VA_ARGS__ \
    }
OVERFLOW_REPORTED(overflow_reported_values_1, C[n * n] = 1;)
//                                              ^ index-overflow x8: 46341 * 46341 for an index: 2147488281 does not fit an int, it wraps to -2147479015
OVERFLOW_REPORTED(overflow_reported_values_2, C[n * n / n] = 1;)
//                                              ^ index-overflow x8: compute it in size_t or long long
OVERFLOW_REPORTED(overflow_reported_values_3, C[(t + 46337) * n - t] = 1;)
//                                              ^ index-overflow x4: thread (4, 0) of block (0, 0) computes 46341 * 46341
OVERFLOW_REPORTED(overflow_reported_values_4, C[t + 2147483647] = 1;)
//                                              ^ index-overflow x7: 1 + 2147483647 for an index: 2147483648
OVERFLOW_REPORTED(overflow_reported_values_5, C[-2000000000 - n * 8000] = 1;)
//                                              ^ index-overflow x8: -2000000000 - 370728000
OVERFLOW_REPORTED(overflow_reported_values_6, float *p = C + n * n; *p = 1;)
//                                                           ^ index-overflow x8: 46341 * 46341
OVERFLOW_REPORTED(overflow_reported_values_7, *(C + 3 + n * n) = 1;)
//                                                      ^ index-overflow x8: 46341 * 46341
OVERFLOW_REPORTED(overflow_reported_values_8, C[I[t] + 2147483645] = 1;)
//                                              ^ index-overflow x5: 3 + 2147483645
OVERFLOW_REPORTED(overflow_reported_values_9, int big = I[t] * 70000; C[big * (t + 30000)] = 1;)
//                                                                      ^ index-overflow x6: 140000 * 30002
OVERFLOW_REPORTED(overflow_reported_values_10, for (int i = 0; i < n; i += 46340) C[i * n - i * n] = 1;)
OVERFLOW_REPORTED(overflow_reported_values_11, for (int i = 0; i <= n; i += 46341) C[i * n] = 1;)
//                                                                                   ^ index-overflow x8: 46341 * 46341
OVERFLOW_REPORTED(overflow_reported_values_12, for (int i = 0; i < 4; ++i) { i += n; C[i * n] = 1; })
//                                                                                     ^ index-overflow x8: 46341 * 46341
OVERFLOW_REPORTED(overflow_reported_values_13, int i = 1; i += n; C[i * n] = 1;)
//                                                                  ^ index-overflow x8: 46342 * 46341
OVERFLOW_REPORTED(overflow_reported_values_14, int i = n; int &j = i; j *= 2; C[i * n] = 1;)
//                                                                              ^ index-overflow x8: 92682 * 46341
OVERFLOW_REPORTED(overflow_reported_values_15, int i = n * n; C[i + t] = 1;)
//                                                     ^ index-overflow x8: 46341 * 46341
OVERFLOW_REPORTED(overflow_reported_values_16, size_t i = n * n - 1; C[2 * i] = 1;)
//                                                        ^ index-overflow x8: 46341 * 46341
OVERFLOW_REPORTED(overflow_reported_values_17, if (t < 2) C[I[t] * 2147483647] = 1;)
OVERFLOW_REPORTED(overflow_reported_values_18, int i; i = n * n; C[i] = 1;)
//                                                        ^ index-overflow x8: 46341 * 46341
OVERFLOW_REPORTED(overflow_reported_values_19, int i = n; i *= n; C[i] = 1;)
//                                                        ^ index-overflow x8: 46341 * 46341
OVERFLOW_REPORTED(overflow_reported_values_20, int i = 0; if (t < 2) i = n * n; C[i] = 1;)
//                                                                       ^ index-overflow x2: 46341 * 46341
OVERFLOW_REPORTED(overflow_reported_values_21, int i; i = t < 2 ? -(n * n) : 0; C[i] = 1;)
//                                                                  ^ index-overflow x2: 46341 * 46341
OVERFLOW_REPORTED(overflow_reported_values_22, int start = n * n; int i = start + t; C[i] = 1;)
//                                                         ^ index-overflow x8: 46341 * 46341
OVERFLOW_REPORTED(overflow_reported_values_23, int start = n * n; float *p = C + start; p[t] = 1;)
//                                                         ^ index-overflow x8: 46341 * 46341
OVERFLOW_REPORTED(overflow_reported_values_24, int start = n * n; *(C + (size_t)start) = 1;)
//                                                         ^ index-overflow x8: 46341 * 46341
OVERFLOW_REPORTED(overflow_reported_values_25, C += n * n; C[0] = 1;)
//                                                  ^ index-overflow x8: 46341 * 46341
OVERFLOW_REPORTED(overflow_reported_values_26, float *p = C; p += n * n; *p = 1;)
//                                                                ^ index-overflow x8: 46341 * 46341
OVERFLOW_REPORTED(overflow_reported_values_27,
    auto at = [&](int row, int col) { return row * n + col; }; C[at(n, t)] = 1;)
//                                           ^ index-overflow x8: 46341 * 46341

// Indices that fit or are wide are not reported.
//: C = zeros(64)
//: I = arange(64)
//: n = 46341
//: besides data-race
#define INDICES_FIT(NAME, ...) \
    __global__ void NAME(float *C, const int *I, int n) { \
        int t = threadIdx.x; __VA_ARGS__ = 1; \
    }
INDICES_FIT(indices_fit_wide_1, C[(size_t)n * n % 64])
INDICES_FIT(indices_fit_wide_2, C[(long long)n * n % 64])
INDICES_FIT(indices_fit_wide_3, int hash = n * n * 31; C[hash & 63])
INDICES_FIT(indices_fit_wide_4, unsigned u = n; C[u * u % 64])
INDICES_FIT(indices_fit_wide_5, C[threadIdx.x * 2 + 1])
INDICES_FIT(indices_fit_wide_6, for (int i = t; i < 64; i += blockDim.x) C[i])
INDICES_FIT(indices_fit_wide_7, int hash; hash = n * n * 31; C[hash & 63])
INDICES_FIT(indices_fit_wide_8, int hash = t; hash = (hash * 1103515245 + 12345) & 63; C[hash])
INDICES_FIT(indices_fit_wide_9, for (int s = 32; s > 0; s /= 2) C[t % s + s - 1])
INDICES_FIT(indices_fit_wide_10, for (int s = 1; s < 64; s *= 2) C[s * 1 + t % s - s])

// An index in a function that is called inside an index is its own matter.

__device__ int hash(int x) { return (x * 2654435 ^ 77777 * 88888) & 7; }

__global__ void an_index_in_a_function_that_is_called_inside_an_index_is_its_own_matter(float *C) {
    C[hash(threadIdx.x + 1000)] = 1;
}
