// Every mistake is reported once, at its place, with the first thread that makes it.

// A place is reported once however often it happens.
//: A = arange(8)
//: C = zeros(8)
__global__ void a_place_is_reported_once_however_often_it_happens(const float *A, float *C) {
    int t = threadIdx.x;
    for (int i = 0; i < 3; ++i) C[t] = A[t + 1];
//                                     ^ out-of-bounds x3
}

// An index beyond 32 bits is kept whole.
//: A = arange(8)
//: C = zeros(8)
__global__ void an_index_beyond_32_bits_is_kept_whole(const float *A, float *C) {
    int t = threadIdx.x;
    C[t] = A[t + 3000000000LL];
//         ^ out-of-bounds x8
}

// The output starts unwritten.
//: A = arange(8)
//: np.isnan(C).all()
//: uninitialised-read x8 in C[0]
__global__ void the_output_starts_unwritten(const float *A, float *C) {
    int t = threadIdx.x;
    C[t] += A[t];
}

// Whole blocks may differ.
//: <<<3, 40>>> every schedule
//: A = arange(8)
//: C = zeros(8)
#define WHOLE_BLOCKS(NAME, ...) \
    __global__ void NAME(const float *A, float *C) { \
        int t = threadIdx.x; __VA_ARGS__ __syncthreads(); \
    }
WHOLE_BLOCKS(whole_blocks_differ_1, if (blockIdx.x == 0) return;)
WHOLE_BLOCKS(whole_blocks_differ_2, if (blockIdx.x == 0) __syncthreads();)
WHOLE_BLOCKS(whole_blocks_differ_3, for (int i = 0; i < blockIdx.x; ++i))

// An endless loop ends with a report.
//: options max_steps=1000
//: A = arange(8)
//: C = zeros(8)
//: budget-exceeded
__global__ void an_endless_loop_ends_with_a_report(const float *A, float *C) {
    int t = threadIdx.x;
    while (true) ;
}
