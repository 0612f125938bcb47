// Memory spaces, and arguments of the kernel.

// Too little dynamic shared memory is out of bounds.

__constant__ int WIDTH;

//: <<<1, 8, 40>>>
//: WIDTH = 8
//: out-of-bounds
__global__ void too_little_dynamic_shared_memory_is_out_of_bounds(float *C) {
    extern __shared__ float s[];
    float *left = s;
    float *right = s + WIDTH;
    left[threadIdx.x] = threadIdx.x;
    right[threadIdx.x] = 10;
    __syncthreads();
    C[threadIdx.x] = left[WIDTH - 1 - threadIdx.x] * right[0];
}

// File scope constants and tables.

const int N = 4;
__constant__ float table[3] = {1.0f, 2.5f};
__device__ int counter;

//: C = zeros(8)
//: counter[t] == 8
//: C == [4, 10, 0, 4, 10, 0, 4, 10]
__global__ void file_scope_constants_and_tables(float *C) {
    C[threadIdx.x] = table[threadIdx.x % 3] * N; atomicAdd(&counter, 1);
}

// Pointers walk.
//: A = ones(5)
//: C = zeros(8)
//: n = 5
//: C[t] == 25.0
__global__ void pointers_walk(const float *A, float *C, int n) {
    const float *end = A + n;
    C += threadIdx.x;
    float sum = 0;
    for (const float *p = A; p < end; ++p) sum += *p;
    *C = sum * (int)(end - A);
    n = 0;
}

// Extern shared memory with a length is like any other.
//: C = arange(8)
//: C[t] == 7 - t % 8
__global__ void extern_shared_memory_with_a_length_is_like_any_other(int *C) {
    extern __shared__ int s[8];
    s[threadIdx.x] = C[threadIdx.x];
    __syncthreads();
    C[threadIdx.x] = s[7 - threadIdx.x];
}

// A plain pointer may point into constant memory.

struct row { int at[4]; };
__constant__ row rows[2];
__device__ int sum(int *of) { return of[0] + of[3]; }

//: <<<1, 1>>>
//: C = unwritten(2)
//: rows = arange(8, dtype="i4")
//: C == [11, 3]
__global__ void a_plain_pointer_may_point_into_constant_memory(int *C) {
    int *second = &rows[1].at[0];
    row own(rows[0]);
    C[0] = sum(second);
    C[1] = sum(own.at);
}

// A parameter hides what the file calls the same.

__constant__ float m[2];
__device__ float s[64];
__device__ float of_file(int i) { return s[i] + m[i % 2]; }

//: m = arange(8)
//: s = 3
//: out[t] == t + 30
__global__ void a_parameter_hides_what_the_file_calls_the_same(const float *m, float *out, int s) {
    int t = threadIdx.x;
    out[t] = m[t] + 10 * s + 1000 * of_file(t);
}

// Functions do not see the parameters of the kernel.

__device__ float f(int i) { return in[i]; }
//                                 ^ error: unknown name 'in'

//: in = ones(8)
__global__ void functions_do_not_see_the_parameters_of_the_kernel(const float *in, float *out) {
    out[threadIdx.x] = f(threadIdx.x);
}

// Shared memory declared outside the kernel.

__shared__ int tile[8];
__shared__ int bonus;
extern __shared__ int more[];

//: <<<1, 8, 32>>>
//: out[t] == 107 - t + 10 * t
__global__ void shared_memory_declared_outside_the_kernel(int *out) {
    int t = threadIdx.x;
    tile[t] = t;
    more[t] = 10 * t;
    if (t == 0) bonus = 100;
    __syncthreads();
    out[t] = tile[7 - t] + more[t] + bonus;
}

// Member functions of structs in constant memory.

struct Ball { float x, r; __device__ float hit(float at, float *side) { *side = at - x; return r - *side; } };
__constant__ Ball balls[2] = {{1, 2}, {3, 4}};

//: out[t] == [2, 4][t % 2]
__global__ void member_functions_of_structs_in_constant_memory(float *out) {
    float side; out[threadIdx.x] = balls[threadIdx.x & 1].hit(5, &side) + side;
}

// Arguments that do not fit.
//: A = missing
//: n = 1
//: error: no value for parameter 'A'
//: or
//: A = zeros(3)
//: error: no value for parameter 'n'
//: or
//: n = 1
//: A = np.zeros(3).view("u8")
//: error: give an array of float32, not of uint64
//: or
//: A = 3
//: n = 1
//: error: give an array
//: or
//: A = zeros(3)
//: n = 1
//: other = 2
//: error: has no parameter 'other': its parameters are A, n
//: or
//: A = zeros(3)
//: n = 2**31
//: error: does not fit
//: or
//: A = zeros(3)
//: n = 1.5
//: error: does not fit
//: or
//: A = zeros(3)
//: n = zeros(3)
//: error: is one int
__global__ void arguments_that_do_not_fit(float *A, int n) {
    A[0] = n;
}

// A constant that cannot be computed is no trouble where nobody names it.

float read(const char *setting);
const float HOST_WIDTH = read("width");

//: <<<1, 1>>>
//: C == 1
__global__ void does_not_name_the_constant(float *C) {
    C[0] = 1;
}

//: <<<1, 1>>>
__global__ void names_the_constant(float *C) {
    C[0] = HOST_WIDTH;
//         ^ error: 'HOST_WIDTH' is a host variable whose value is not known before
}
