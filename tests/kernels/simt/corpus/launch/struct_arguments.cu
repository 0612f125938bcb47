// Kernel arguments that are structs, arrays of structs, rows, pointers to pointers, and arrays after a struct.

#include <cuda_bf16.h>

// A parameter that points to rows.
//: rows = ones((8, 4))
//: rows == [[1, 1, 1, 1], [1, 11, 1, 1], [1, 21, 1, 1], [1, 31, 1, 1], [1, 41, 1, 1], [1, 51, 1, 1], [1, 61, 1, 1], [1, 71, 1, 1]]
__global__ void parameter_points_rows_1(int rows[8][4]) {
    rows[threadIdx.x][1] = 10 * threadIdx.x + rows[threadIdx.x][3];
}

//: rows = ones((8, 4))
//: rows == [[1, 1, 1, 1], [1, 11, 1, 1], [1, 21, 1, 1], [1, 31, 1, 1], [1, 41, 1, 1], [1, 51, 1, 1], [1, 61, 1, 1], [1, 71, 1, 1]]
__global__ void parameter_points_rows_2(int rows[][4]) {
    rows[threadIdx.x][1] = 10 * threadIdx.x + rows[threadIdx.x][3];
}

//: rows = ones((8, 4), "i4")
//: rows == [[1, 1, 1, 1], [1, 11, 1, 1], [1, 21, 1, 1], [1, 31, 1, 1], [1, 41, 1, 1], [1, 51, 1, 1], [1, 61, 1, 1], [1, 71, 1, 1]]
__global__ void parameter_points_rows_3(int (*rows)[4]) {
    rows[threadIdx.x][1] = 10 * threadIdx.x + rows[threadIdx.x][3];
}

//: rows = ones(32)
//: rows == [1, 1, 1, 1, 1, 11, 1, 1, 1, 21, 1, 1, 1, 31, 1, 1, 1, 41, 1, 1, 1, 51, 1, 1, 1, 61, 1, 1, 1, 71, 1, 1]
__global__ void parameter_points_rows_4(int rows[8][4]) {
    rows[threadIdx.x][1] = 10 * threadIdx.x + rows[threadIdx.x][3];
}

//: rows = ones(32)
//: rows == [1, 1, 1, 1, 1, 11, 1, 1, 1, 21, 1, 1, 1, 31, 1, 1, 1, 41, 1, 1, 1, 51, 1, 1, 1, 61, 1, 1, 1, 71, 1, 1]
__global__ void parameter_points_rows_5(int rows[][4]) {
    rows[threadIdx.x][1] = 10 * threadIdx.x + rows[threadIdx.x][3];
}

//: rows = ones(32, "i4")
//: rows == [1, 1, 1, 1, 1, 11, 1, 1, 1, 21, 1, 1, 1, 31, 1, 1, 1, 41, 1, 1, 1, 51, 1, 1, 1, 61, 1, 1, 1, 71, 1, 1]
__global__ void parameter_points_rows_6(int (*rows)[4]) {
    rows[threadIdx.x][1] = 10 * threadIdx.x + rows[threadIdx.x][3];
}

// An array of structs that are larger than their members.

struct __align__(16) Slot { int first, second; };

//: slots = arange(32, dtype="i4")
//: slots[t] == t
__global__ void an_array_of_structs_that_are_larger_than_their_members(Slot *slots) {
    slots[threadIdx.x].second = slots[threadIdx.x].first + 1;
}

// Members that are handles of the host.

typedef struct { cublasHandle_t blas; float *weights; cudaStream_t stream; } Model;

//: model.weights = zeros(8, "f4")
//: model.blas = 0
//: model.stream = 0
//: model.weights[t] == 24
__global__ void members_that_are_handles_of_the_host(Model *model) {
    model->weights[threadIdx.x] = sizeof(Model);
}

// Bfloat16 parameters are given as numbers.

struct Scale { __nv_bfloat16 by; int n; };

//: alpha = 1.5
//: s.by = 2
//: s.n = 10
//: out[t] == 20 + 1.5 * t
__global__ void bfloat16_parameters_are_given_as_numbers(float *out, __nv_bfloat16 alpha, Scale s) {
    out[threadIdx.x] = __bfloat162float(alpha) * threadIdx.x + s.n * __bfloat162float(s.by);
}

// Part of a struct is refused.
struct IntFloat { int a; float b; };

//: s = zeros(12, "u1")
//: error: parameter 's' points to IntFloat (8 bytes): 12 bytes are given; give whole ones, as in u8
__global__ void part_of_a_struct(IntFloat *s) {
    s->a = 1;
}
