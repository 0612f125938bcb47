struct Order { int row_major, accumulator; __device__ int area() { return row_major * accumulator; } };
__device__ int barrier(int x) { return x; }
__device__ int atomic(int x) { return x < 3; }
template <bool col_major> __device__ int fragment() { return col_major ? 1 : 2; }
__global__ void k(int *out, int texture, int matrix_a, int precision) {
    int surface = texture < 2, thread_scope = 1, wmma = matrix_a < 5 && surface > 0;
    auto accumulator = 0;
    accumulator += surface * precision;
    Order order{2, 3};
    out[threadIdx.x] = accumulator + barrier(matrix_a) + atomic(2) + fragment<true>() + order.area()
        + thread_scope + wmma;
}
