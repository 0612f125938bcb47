// The device heap: each block from malloc or new is an array of the trace until it is freed.

// Blocks are arrays.
//: <<<1, 8>>> lockstep warps shuffle:3 unrecorded
#define BLOCKS_ARRAYS(NAME, ...) \
    __global__ void NAME(int *out) { \
        int t = threadIdx.x; __VA_ARGS__; \
    }
//: out[t] == t
BLOCKS_ARRAYS(blocks_arrays_1, int *p = (int *)malloc(4 * sizeof(int)); p[3] = t; out[t] = p[3]; free(p))
//: out[t] == t
BLOCKS_ARRAYS(blocks_arrays_2,
    int n = t + 1; short *p = new short[n]; for (int i = 0; i < n; ++i) p[i] = i; out[t] = p[t]; delete[] p)
//: out[t] == 3
BLOCKS_ARRAYS(blocks_arrays_3,
    void *p = malloc(16); float4 *f = static_cast<float4 *>(p); *f = make_float4(1, 2, 3, 4);
    out[t] = ((float *)p)[2])
//: out[t] == 2 * t
BLOCKS_ARRAYS(blocks_arrays_4,
    int *p = (int *)malloc(4 * sizeof(*p)), (*m)[4] = (int (*)[4])malloc(2 * sizeof *m); m[1][3] = p[3] = t;
    out[t] = m[1][3] + p[3])
//: out[t] == t if t % 2 else -1
BLOCKS_ARRAYS(blocks_arrays_5, int *p = nullptr; if (t % 2) { p = new int; *p = t; } out[t] = p ? *p : -1; delete p)
//: out[t] == t
BLOCKS_ARRAYS(blocks_arrays_6,
    float *p = new float[5](); int *q = new int(t), *z = new int(); out[t] = p[4] + *q + *z)
//: out[t] == 2 * t
BLOCKS_ARRAYS(blocks_arrays_7,
    int **m = new int *[2];
    for (int i = 0; i < 2; ++i) { m[i] = new int[3]; m[i][1] = t; } out[t] = m[0][1] + m[1][1];
    for (int i = 0; i < 2; ++i) delete[] m[i]; delete[] m)

struct Node { int v; Node *next; __device__ Node(int x, Node *n) : v(x), next(n) {} };

//: <<<1, 8>>> lockstep warps shuffle:3 unrecorded
//: out[t] == 3 + 3 * t
__global__ void blocks_arrays_8(int *out) {
    int t = threadIdx.x;
    Node *list = nullptr; for (int i = 0; i < 3; ++i) list = new Node(i + t, list); int s = 0;
    for (Node *p = list; p; p = p->next) s += p->v;
    while (list) { Node *next = list->next; delete list; list = next; } out[t] = s;
}

struct P { float x, y; }; struct V { int x; __device__ V() : x(5) {} };

//: <<<1, 8>>> lockstep warps shuffle:3 unrecorded
//: out[t] == 7 + t
__global__ void blocks_arrays_9(int *out) {
    int t = threadIdx.x;
    P *p = new P{1, 2}, *q = new P; q->x = t; V *v = new V[3]; out[t] = p->y + q->x + v[2].x; delete[] v;
}

//: <<<1, 8>>> lockstep warps shuffle:3 unrecorded
//: out[t] == 7 - t
__global__ void blocks_arrays_10(int *out) {
    int t = threadIdx.x;
    __shared__ int *p; if (t == 0) p = (int *)malloc(blockDim.x * sizeof(int)); __syncthreads(); p[t] = t;
    __syncthreads(); out[t] = p[7 - t]; __syncthreads(); if (t == 0) free(p);
}

__device__ int *slots[8];

//: <<<1, 8>>> lockstep warps shuffle:3 unrecorded
//: out[t] == 28
__global__ void blocks_arrays_11(int *out) {
    int t = threadIdx.x;
    slots[t] = new int(t); __syncthreads(); int s = 0, i; for (i = 0; i < 8; i++) s += *slots[i]; out[t] = s;
}

//: <<<1, 8>>> lockstep warps shuffle:3 unrecorded
#define BLOCKS_ARRAYS_2(NAME, ...) \
    __global__ void NAME(int *out) { \
        int t = threadIdx.x; __VA_ARGS__ \
    }
//: out[t] == 8
BLOCKS_ARRAYS_2(blocks_arrays_12,
    __shared__ int *p; if (t == 0) p = new int(0); __syncthreads(); atomicAdd(p, 1); __syncthreads(); out[t] = *p;)
BLOCKS_ARRAYS_2(blocks_arrays_13, free(nullptr); out[t] = malloc(9 << 20) == nullptr;)  //: out[t] == 1
BLOCKS_ARRAYS_2(blocks_arrays_14, out[t] = malloc(2 << 20) != nullptr;)  //: out[t] == t < 4
//: out[t] == 1
BLOCKS_ARRAYS_2(blocks_arrays_15,
    for (int i = 0; i < 3; ++i) { void *p = malloc(1 << 20); out[t] = p != nullptr; free(p); })

// Hazards of heap blocks.
#define HAZARDS_HEAP(NAME, ...) \
    __global__ void NAME(int *out) { \
        int t = threadIdx.x; __VA_ARGS__; \
    }
HAZARDS_HEAP(hazards_heap_blocks_1, int *p = new int[4]; p[t + 1] = 1; out[t] = 0)
//                                                       ^ out-of-bounds x5: writes element 4 of a block that is allocated in heap of line N, but it has 4 elements: 0 to 3
HAZARDS_HEAP(hazards_heap_blocks_2, int *p = new int[4]; out[t] = 0; p[-1] = 1)
//                                                                   ^ out-of-bounds x8: element -1
HAZARDS_HEAP(hazards_heap_blocks_3, int *p = new int[t + 1]; p[100000] = 1; out[t] = 0)
//                                                           ^ out-of-bounds x8: 0 to 0
HAZARDS_HEAP(hazards_heap_blocks_4, int *p = new int(1); free(p); out[t] = *p)
//                                                                         ^ use-after-free x8: which line N freed before
HAZARDS_HEAP(hazards_heap_blocks_5, int *p = new int(1); delete p; delete p; out[t] = 0)
//                                                                 ^ double-free x8 in heap of line 97: it has been freed already
HAZARDS_HEAP(hazards_heap_blocks_6, free(out + 1); out[t] = 0)
//                                  ^ invalid-free x8 in out: frees a pointer into out: no malloc or new returned it
HAZARDS_HEAP(hazards_heap_blocks_7, int *p = new int[4]; free(p + 1); out[t] = 0)
//                                                       ^ invalid-free x8 in heap of line 101: no malloc or new returned it
HAZARDS_HEAP(hazards_heap_blocks_8, int *p = (int *)malloc(16); out[t] = p[1] * 0)
//                                                                       ^ uninitialised-read x8: reads heap of line N[0][1] (global memory), which nothing has written yet: malloc and new clear no memory
HAZARDS_HEAP(hazards_heap_blocks_9,
    __shared__ int *p; if (t == 0) p = new int[2]; __syncthreads(); p[1] = t; out[t] = 0)
//                                                                  ^ data-race x1: writes heap of line N[0][1]
HAZARDS_HEAP(hazards_heap_blocks_10, int *p = (int *)malloc(64 << 20); *p = 1; out[t] = 0)
//                                                                     ^ out-of-bounds x8 in [-1]: a null pointer

// A loop that allocates for ever ends the run.
//: budget-exceeded
__global__ void a_loop_that_allocates_for_ever_ends_the_run(int *out) {
    int t = threadIdx.x;
    for (int i = 0; i < 1000; ++i) { void *p = malloc(1 << 19); free(p); } out[t] = 0;
}

// New in a place is refused.
__global__ void new_in_a_place_is_refused(int *out) {
    int t = threadIdx.x;
    int x; new (&x) int(3); out[t] = x;
//         ^ error: placement new; assign to the place
}

// Members of blocks have bounds of their own.

struct Sandwich { int above; int middle[1]; int below; };

//: out[t] == t
__global__ void members_of_blocks_have_bounds_of_their_own(int *out) {
    int t = threadIdx.x;
    Sandwich *p = (Sandwich *)malloc(sizeof(Sandwich)); p->middle[1] = t; out[t] = p->below;
//                                                      ^ out-of-bounds x8
}
