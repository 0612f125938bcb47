// Arguments for pointers to pointers, structs that hold pointers, and null pointers.

// Given in parts.
//: rows[0] = arange(4, dtype="f4")
//: rows[1] = (arange(8) + 8).astype("f4")
//: out == [0, 8, 1, 9, 2, 10, 3, 11]
__global__ void given_parts_1(float **rows, float *out) {
    int t = threadIdx.x; out[t] = rows[t % 2][t / 2];
}

//: a = arange(32, dtype="f4").reshape(2, 2, 8)
//: out == [16, 25, 18, 27, 20, 29, 22, 31]
__global__ void given_parts_2(float ***a, float *out) {
    out[threadIdx.x] = a[1][threadIdx.x % 2][threadIdx.x];
}

struct View { float *data; int count; };

//: v.data = arange(8, dtype="f4")
//: v.count = 3
//: out[t] == 3 * t
__global__ void given_parts_3(View *v, float *out) {
    out[threadIdx.x] = v->data[threadIdx.x] * v->count;
}

//: v[0].data = arange(8, dtype="f4")
//: v[0].count = 8
//: v[1].data = (arange(4) + 8).astype("f4")
//: v[1].count = 4
//: out == [0, 9, 2, 11, 4, -1, 6, -1]
__global__ void given_parts_4(const View *v, float *out) {
    int t = threadIdx.x;
    const View &one = v[t % 2]; out[t] = t < one.count ? one.data[t] : -1;
}

struct Many { float *rows[2]; float scale[3]; };

//: m.rows = arange(16, dtype="f4").reshape(2, 8)
//: m.scale = array([1, 10, 100], "f4")
//: out == [0, 90, 200, 11, 40, 1300, 6, 150]
__global__ void given_parts_5(Many m, float *out) {
    int t = threadIdx.x; out[t] = m.rows[t % 2][t] * m.scale[t % 3];
}

__constant__ float *table[2];

//: table = arange(16, dtype="f4").reshape(2, 8)
//: out == [0, 9, 2, 11, 4, 13, 6, 15]
__global__ void given_parts_6(float *out) {
    out[threadIdx.x] = table[threadIdx.x % 2][threadIdx.x];
}

__device__ float *one;

//: one = arange(8, dtype="f4")
//: out[t] == t
__global__ void given_parts_7(float *out) {
    out[threadIdx.x] = one[threadIdx.x];
}

//: mask = 0
//: out[t] == t
__global__ void given_parts_8(const float *mask, float *out) {
    int t = threadIdx.x;
    out[t] = mask == nullptr ? t : mask[t];
}

//: v.data = 0
//: v.count = 0
//: out[t] == 2 * t
__global__ void given_parts_9(View v, float *out) {
    int t = threadIdx.x; out[t] = v.data ? v.data[t] : t * 2;
}

__device__ void swap(const float **a, const float **b) { const float *c = *a; *a = *b; *b = c; }

//: a = arange(8)
//: b = arange(8) + 8
//: out[t] == t + 8
__global__ void given_parts_10(const float *a, const float *b, float *out) {
    swap(&a, &b); out[threadIdx.x] = a[threadIdx.x];
}

struct Point { struct { float x, y; } at; int id; };

//: p.at.x = 1
//: p.at.y = 2
//: p.id = 3
//: out[t] == 6
__global__ void given_parts_11(const Point *p, float *out) {
    out[threadIdx.x] = p->at.y * p->id;
}

//: p.at.x = arange(8, dtype="f4")
//: p.at.y = 10
//: p.id = arange(8, dtype="i8")
//: out[t] == 11 * t
__global__ void given_parts_12(Point *p, float *out) {
    int t = threadIdx.x; out[t] = p[t].at.x + p[t].at.y * p[t].id;
}

__constant__ Point centre; __device__ Point all[8];

//: centre.at.x = 5
//: centre.at.y = 0
//: centre.id = 2
//: all.id = arange(8, dtype="i8")
//: all.at.x = 0
//: all.at.y = 0
//: out[t] == t + 10
__global__ void given_parts_13(float *out) {
    int t = threadIdx.x; out[t] = centre.at.x * centre.id + all[t].id;
}

struct V { union { struct { float x, y, z; }; struct { float v[3]; }; }; };
struct Box { V low, high; struct { int n; }; }; __constant__ V shift;

//: b.low.x = 1
//: b.low.y = 2
//: b.low.z = 3
//: b.high.x = 4
//: b.high.y = 5
//: b.high.z = 6
//: b.n = 10
//: shift.x = 0
//: shift.y = 0
//: shift.z = 0.5
//: out[t] == 63.5
__global__ void given_parts_14(Box b, float *out) {
    out[threadIdx.x] = b.low.x + b.low.v[1] + b.high.z * b.n + shift.v[2];
}

// Null pointers as arguments.
//: mask = 0
//: out-of-bounds
__global__ void null_pointers_as_arguments(const float *mask, float *out) {
    out[threadIdx.x] = mask[threadIdx.x];
}

// An array of another shape for a member.

struct S { float w[3]; };

//: s.w = arange(4, dtype="f4")
//: error: 's.w' is float[3]: give an array of [3], not [4]
__global__ void an_array_of_another_shape_for_a_member(S s, float *out) {
    out[threadIdx.x] = s.w[0];
}

// Parts that are missing.
//: v.data = arange(32, dtype="f4")
//: error: no value for 'v.count' (int)
//: or
//: v[0].data = arange(32, dtype="f4")
//: v[0].count = 1
//: v[2].data = arange(32, dtype="f4")
//: error: no value for 'v[1].data' (float *)
//: or
//: v.data = arange(32, dtype="f4")
//: v.count = arange(32, dtype="f4")
//: error: 'v.count' is one int: give a number
//: or
//: v.data = 3
//: v.count = 1
//: error: parameter 'v.data' is an array (float *): give an array, not 3
//: or
//: v = missing
//: error: no value for parameter 'v' (View *)
__global__ void parts_that_are_missing(View *v, float *out) {
    out[threadIdx.x] = v->data[threadIdx.x];
}

// Structs that do not come out even.
//: p.at.x = arange(32, dtype="f4")
//: p.at.y = arange(32, dtype="f4")
//: error: no value for 'p.id' (int)
//: or
//: p.at.x = arange(32, dtype="f4")
//: p.at.y = arange(4, dtype="f4")
//: p.id = 1
//: error: 'p.at.y' has 4 elements, others give 32 structs: give as many
//: or
//: p.at.x = arange(32, dtype="f4")
//: p.at.y = arange(32, dtype="f4")
//: p.id = arange(32, dtype="f4")
//: error: 'p.id' is one int of each struct: give integers
__global__ void structs_that_do_not_come_out_even(Point *p, float *out) {
    out[threadIdx.x] = p[threadIdx.x].id;
}

// Every byte is set.
//: <<<1, 1>>>
//: out = zeros(64)
#define EVERY_BYTE(NAME, ...) \
    __global__ void NAME(unsigned char *out) { \
        __VA_ARGS__ a; \
        memset(a, 0xff, sizeof(a)); \
        memcpy(out, a, sizeof(a)); \
    }
typedef float floats[3];
typedef double doubles[2];
typedef short shorts[5];
typedef struct { float x; int y; char z; } mixed[2];
typedef half halves[4];
EVERY_BYTE(bytes_of_floats, floats)  //: out[t] == (255 if t < 12 else 0)
EVERY_BYTE(bytes_of_doubles, doubles)  //: out[t] == (255 if t < 16 else 0)
EVERY_BYTE(bytes_of_shorts, shorts)  //: out[t] == (255 if t < 10 else 0)
EVERY_BYTE(bytes_of_structs, mixed)  //: set(out[:24]) <= {0, 255} and np.all(out[:9] == 255)
EVERY_BYTE(bytes_of_halves, halves)  //: out[t] == (255 if t < 8 else 0)
