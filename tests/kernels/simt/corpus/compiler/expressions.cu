// Results of C's operators and conversions, value by value.

// Known value and lane values agree.
#define KNOWN_VALUE(NAME, ...) \
    __global__ void NAME(int *out) { \
        int t = threadIdx.x; out[t] = __VA_ARGS__; \
    }
KNOWN_VALUE(known_value_lane_1, 7 / 2)  //: out[t] == 3
KNOWN_VALUE(known_value_lane_2, -7 / 2)  //: out[t] == -3
KNOWN_VALUE(known_value_lane_3, 7 / -2)  //: out[t] == -3
KNOWN_VALUE(known_value_lane_4, -7 % 3)  //: out[t] == -1
KNOWN_VALUE(known_value_lane_5, 7 % -3)  //: out[t] == 1
KNOWN_VALUE(known_value_lane_6, 2147483647 + 1)  //: out[t] == -(2**31)
KNOWN_VALUE(known_value_lane_7, 65536 * 65536)  //: out[t] == 0
KNOWN_VALUE(known_value_lane_8, 1 << 31)  //: out[t] == -(2**31)
KNOWN_VALUE(known_value_lane_9, -8 >> 1)  //: out[t] == -4
KNOWN_VALUE(known_value_lane_10, -1 & 255)  //: out[t] == 255
KNOWN_VALUE(known_value_lane_11, 5 ^ 3)  //: out[t] == 6
KNOWN_VALUE(known_value_lane_12, ~0)  //: out[t] == -1
KNOWN_VALUE(known_value_lane_13, !5)  //: out[t] == 0
KNOWN_VALUE(known_value_lane_14, 3 > 2 > 1)  //: out[t] == 0
KNOWN_VALUE(known_value_lane_15, (1, 2))  //: out[t] == 2
KNOWN_VALUE(known_value_lane_16, 1 ? 2 : 3)  //: out[t] == 2
KNOWN_VALUE(known_value_lane_17, (int)sizeof(0 ? 1.0 : 1))  //: out[t] == 8
KNOWN_VALUE(known_value_lane_18, 0 ? 7 / 0 : 5)  //: out[t] == 5
KNOWN_VALUE(known_value_lane_19, sizeof(float) * 2)  //: out[t] == 8
KNOWN_VALUE(known_value_lane_20, (int)3.99)  //: out[t] == 3
KNOWN_VALUE(known_value_lane_21, (int)-3.99)  //: out[t] == -3
KNOWN_VALUE(known_value_lane_22, (int)1e20)  //: out[t] == 2147483647
KNOWN_VALUE(known_value_lane_23, (unsigned char)300)  //: out[t] == 44
KNOWN_VALUE(known_value_lane_24, (char)200)  //: out[t] == -56
KNOWN_VALUE(known_value_lane_25, (int)(-1 < 1u))  //: out[t] == 0
KNOWN_VALUE(known_value_lane_26, min(3, -2))  //: out[t] == -2
KNOWN_VALUE(known_value_lane_27, max(3, 9))  //: out[t] == 9
KNOWN_VALUE(known_value_lane_28, abs(-4))  //: out[t] == 4
KNOWN_VALUE(known_value_lane_29, abs(-2147483647 - 1))  //: out[t] == -(2**31)
KNOWN_VALUE(known_value_lane_30, max(1u, 2147483648u) == 2147483648u)  //: out[t] == 1
KNOWN_VALUE(known_value_lane_31, (int)(min(18446744073709551615ULL, 9ULL)))  //: out[t] == 9
KNOWN_VALUE(known_value_lane_32, warpSize)  //: out[t] == 32
KNOWN_VALUE(known_value_lane_33, blockDim.x + gridDim.y)  //: out[t] == 9
KNOWN_VALUE(known_value_lane_34, 'a')  //: out[t] == 97
KNOWN_VALUE(known_value_lane_35, 0x10 | 1)  //: out[t] == 17

// Lane values.
#define LANE_VALUES(NAME, ...) \
    __global__ void NAME(int *out, const int *x_, const int *y_) { \
        int t = threadIdx.x, x = x_[t], y = y_[t]; out[t] = __VA_ARGS__; \
    }
//: x_ = [2147483647, -1, 2147483647, -1, 2147483647, -1, 2147483647, -1]
//: y_ = ones(8)
//: out[t] == [-2147483648, 0][t % 2]
LANE_VALUES(lane_values_1, x + y)
//: x_ = [65536, 3, 65536, 3, 65536, 3, 65536, 3]
//: y_ = [65536, 5, 65536, 5, 65536, 5, 65536, 5]
//: out[t] == [0, 15][t % 2]
LANE_VALUES(lane_values_2, x * y)
//: x_ = [7, -7, 7, -7, 7, -7, 7, -7]
//: y_ = full(8, 2)
//: out[t] == [3, -3][t % 2]
LANE_VALUES(lane_values_3, x / y)
//: x_ = [7, -7, 7, -7, 7, -7, 7, -7]
//: y_ = [-3, 3, -3, 3, -3, 3, -3, 3]
//: out[t] == [1, -1][t % 2]
LANE_VALUES(lane_values_4, x % y)
//: x_ = [1, 3, 1, 3, 1, 3, 1, 3]
//: y_ = [31, 1, 31, 1, 31, 1, 31, 1]
//: out[t] == [-2147483648, 6][t % 2]
LANE_VALUES(lane_values_5, x << y)
//: x_ = [-8, 8, -8, 8, -8, 8, -8, 8]
//: y_ = ones(8)
//: out[t] == [-4, 4][t % 2]
LANE_VALUES(lane_values_6, x >> y)
//: x_ = [-2147483648, 5, -2147483648, 5, -2147483648, 5, -2147483648, 5]
//: y_ = zeros(8)
//: out[t] == [-2147483648, -5][t % 2]
LANE_VALUES(lane_values_7, -x)
//: x_ = [1, 2, 1, 2, 1, 2, 1, 2]
//: y_ = [2, 1, 2, 1, 2, 1, 2, 1]
//: out[t] == [1, 0][t % 2]
LANE_VALUES(lane_values_8, x < y)
//: x_ = [1, 0, 1, 0, 1, 0, 1, 0]
//: y_ = [0, 1, 0, 1, 0, 1, 0, 1]
//: out[t] == 0
LANE_VALUES(lane_values_9, x && y)
//: x_ = [1, 0, 1, 0, 1, 0, 1, 0]
//: y_ = zeros(8)
//: out[t] == [1, 0][t % 2]
LANE_VALUES(lane_values_10, x || y)
//: x_ = [1, 0, 1, 0, 1, 0, 1, 0]
//: y_ = full(8, 4)
//: out[t] == [4, -4][t % 2]
LANE_VALUES(lane_values_11, x ? y : -y)
//: x_ = [1, 9, 1, 9, 1, 9, 1, 9]
//: y_ = [5, 2, 5, 2, 5, 2, 5, 2]
//: out[t] == [6, 11][t % 2]
LANE_VALUES(lane_values_12, min(x, y) + max(x, y))
//: x_ = [200, 5, 200, 5, 200, 5, 200, 5]
//: y_ = zeros(8)
//: out[t] == [-56, 5][t % 2]
LANE_VALUES(lane_values_13, (char)x)
//: x_ = [-1, 0, -1, 0, -1, 0, -1, 0]
//: y_ = zeros(8)
//: out[t] == [1, 0][t % 2]
LANE_VALUES(lane_values_14, x > 0u)

// Unsigned wraps.
#define UNSIGNED_WRAPS(NAME, ...) \
    __global__ void NAME(unsigned *out, const unsigned *x_) { \
        int t = threadIdx.x; unsigned x = x_[t]; out[t] = __VA_ARGS__; \
    }
//: x_ = zeros(8)
//: out[t] == 2**32 - 1
UNSIGNED_WRAPS(unsigned_wraps_1, x - 1)
//: x_ = full(8, 4294967295)
//: out[t] == 2147483647
UNSIGNED_WRAPS(unsigned_wraps_2, x / 2)
//: x_ = full(8, 2147483648)
//: out[t] == 1
UNSIGNED_WRAPS(unsigned_wraps_3, x >> 31)
//: x_ = ones(8)
//: out[t] == 0
UNSIGNED_WRAPS(unsigned_wraps_4, x << 32)
//: x_ = ones(8)
//: out[t] == 2**32 - 1
UNSIGNED_WRAPS(unsigned_wraps_5, -x)
//: x_ = full(8, 5)
//: out[t] == 2**32 - 6
UNSIGNED_WRAPS(unsigned_wraps_6, (unsigned)-1 - x)

// Floating point.
#define FLOATING_POINT(NAME, ...) \
    __global__ void NAME(float *out) { \
        int t = threadIdx.x; out[t] = __VA_ARGS__; \
    }
FLOATING_POINT(floating_point_1, 0.1f + 0.2f)  //: out[t] == 0.30000001192092896
FLOATING_POINT(floating_point_2, 0.1 + 0.2)  //: out[t] == 0.30000001192092896
FLOATING_POINT(floating_point_3, 16777216.0f + 1.0f)  //: out[t] == 16777216.0
FLOATING_POINT(floating_point_4, 1 / 2)  //: out[t] == 0.0
FLOATING_POINT(floating_point_5, 1 / 2.0f)  //: out[t] == 0.5
FLOATING_POINT(floating_point_6, 1.0f / 0.0f)  //: out[t] == inf
FLOATING_POINT(floating_point_7, sqrtf(2.0f))  //: out[t] == 1.4142135381698608
FLOATING_POINT(floating_point_8, fmaxf(1.0f, 2.0f) - fminf(1.0f, 2.0f))  //: out[t] == 1.0
FLOATING_POINT(floating_point_9, fabsf(-1.5f))  //: out[t] == 1.5
FLOATING_POINT(floating_point_10, floorf(-1.5f))  //: out[t] == -2.0
FLOATING_POINT(floating_point_11, roundf(2.5f) + rintf(2.5f))  //: out[t] == 5.0
FLOATING_POINT(floating_point_12, max(1.5f, 1))  //: out[t] == 1.5
FLOATING_POINT(floating_point_13, (float)16777217)  //: out[t] == 16777216.0

// Statements of one thread.
#define STATEMENTS_ONE(NAME, ...) \
    __global__ void NAME(int *out) { \
        __VA_ARGS__; \
    }
STATEMENTS_ONE(statements_one_thread_1, int t = threadIdx.x; int a = 3; out[t] = a++ + a)  //: out[t] == 7
STATEMENTS_ONE(statements_one_thread_2, int t = threadIdx.x; int a = 3; out[t] = ++a * 2)  //: out[t] == 8
//: out[t] == 2
STATEMENTS_ONE(statements_one_thread_3,
    int t = threadIdx.x; int a = 3; a += 4; a *= 2; a -= 1; a /= 2; a %= 4; out[t] = a)
//: out[t] == 9
STATEMENTS_ONE(statements_one_thread_4,
    int t = threadIdx.x; int a = 1; a <<= 4; a |= 3; a &= ~1; a ^= 1; a >>= 1; out[t] = a)
STATEMENTS_ONE(statements_one_thread_5, int t = threadIdx.x; int a, b; a = b = 5; out[t] = a + b)  //: out[t] == 10
STATEMENTS_ONE(statements_one_thread_6, int t = threadIdx.x; unsigned char a = 255; a++; out[t] = a)  //: out[t] == 0
//: out[t] == -32768
STATEMENTS_ONE(statements_one_thread_7, int t = threadIdx.x; short a = 32767; a += 1; out[t] = a)
STATEMENTS_ONE(statements_one_thread_8, int t = threadIdx.x; bool a = 7; out[t] = a + a)  //: out[t] == 2
//: out[t] == 35
STATEMENTS_ONE(statements_one_thread_9, int t = threadIdx.x; float f = 7; f /= 2; out[t] = (int)(f * 10))
//: out[t] == 521
STATEMENTS_ONE(statements_one_thread_10,
    int t = threadIdx.x; int a[3] = {1, 2}; a[2] += 5; out[t] = a[0] + a[1] * 10 + a[2] * 100)
//: out[t] == 43
STATEMENTS_ONE(statements_one_thread_11,
    int t = threadIdx.x; int a[2][3] = {1, 2, 3, 4, 5, 6}; out[t] = a[1][0] * 10 + a[0][2])
//: out[t] == 31
STATEMENTS_ONE(statements_one_thread_12,
    int t = threadIdx.x; int a[3] = {1, 2, 3}, i = 0; out[t] = a[i++, 2] * 10 + i)
//: out[t] == 234
STATEMENTS_ONE(statements_one_thread_13,
    int t = threadIdx.x, r = 0; int a[4] = {1, 2, 3, 4}; int *p = a + 1; p++; r = *p * 10 + p[1];
    r += (int)(p - a) * 100; out[t] = r)
//: out[t] == 1
STATEMENTS_ONE(statements_one_thread_14,
    int t = threadIdx.x; int a[4] = {0}; a[t % 4]++; out[t] = a[0] + a[1] + a[2] + a[3])
STATEMENTS_ONE(statements_one_thread_15, int t = threadIdx.x; const int c = 4; out[t] = c)  //: out[t] == 4
//: out[t] == 3
STATEMENTS_ONE(statements_one_thread_16,
    int t = threadIdx.x, r = 0; int a = 1; { int a = 2; r += a; } r += a; out[t] = r)

// Right side is not evaluated where the left decides.
//: out == [111, 111, 111, 111, 110, 110, 110, 110]
__global__ void right_side_is_not_evaluated_where_the_left_decides(int *out) {
    int t = threadIdx.x, r = 0;
    int n = 0; if (t < 4 && ++n) r = n; if (t < 4 || ++n) r += 10; r += n * 100;
    out[t] = r;
}

// Division in an untaken branch is no hazard.
//: out == [-1, 12, 6, 4, 3, 2, 2, 1]
__global__ void division_in_an_untaken_branch_is_no_hazard(int *out) {
    int t = threadIdx.x;
    out[t] = t != 0 ? 12 / t : -1;
}
