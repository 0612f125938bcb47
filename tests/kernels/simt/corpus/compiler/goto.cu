// goto: out of loops, forward, backward and in circles; threads reconverge at the labels.

// Every thread goes its own way.

__device__ int found(int t) { for (int i = 0; i < 8; i += 3) if (i == t) goto yes; return -1; yes: return t; }

#define EVERY_THREAD(NAME, ...) \
    __global__ void NAME(int *out) { \
        __VA_ARGS__; \
    }
//: out[t] == t + (10 if t <= 3 else 0)
EVERY_THREAD(every_thread_goes_1, int t = threadIdx.x, r = 0; if (t > 3) goto skip; r = 10; skip: r += t; out[t] = r)
//: out[t] == (2 if t > 3 else 1) * 10 + t
EVERY_THREAD(every_thread_goes_2,
    int t = threadIdx.x, r = 0; if (t > 3) goto a; r = 1; goto end; a: r = 2; end: r = r * 10 + t; out[t] = r)
//: out[t] == t * -(-20 // t) if t else 0
EVERY_THREAD(every_thread_goes_3, int t = threadIdx.x, r = 0; again: r += t; if (r < 20 && t) goto again; out[t] = r)
//: out[t] == next((i * 5 + j + 1 for i in range(5) for j in range(5) if i * j == t), -1)
EVERY_THREAD(every_thread_goes_4,
    int t = threadIdx.x, r = 0;
    for (int i = 0; i < 5; ++i) for (int j = 0; j < 5; ++j) { ++r; if (i * j == t) goto out; } r = -1; out: ;
    out[t] = r)
//: out[t] == 3 * (t + 100)
EVERY_THREAD(every_thread_goes_5,
    int t = threadIdx.x, r = 0;
    for (int n = 0; n < 3; ++n) { int k = 0; while (true) { if (k == t) goto on; ++k; ++r; } on: r += 100; }
    out[t] = r)
//: out == [3, 4, 1, 6, 1, 8, 3, 2]
EVERY_THREAD(every_thread_goes_6,
    int t = threadIdx.x; int a = 24, b = t + 3, c; goto test; step: c = a % b; a = b; b = c; test: if (b) goto step;
    out[t] = a)
//: out == [15, 15, 11, 15, 19, 11, 13, 15]
EVERY_THREAD(every_thread_goes_7,
    int t = threadIdx.x, r = 0; int x = t; first: { int y = x * 2; if (y > 20) goto last; x = y + 1; goto first; }
    last: r = x; out[t] = r)
//: out[t] == (5 if t % 2 else t) * 10 + 7
EVERY_THREAD(every_thread_goes_8,
    int t = threadIdx.x, r = 0; int x = 5; if (t % 2) goto use; x = t; use: r = x * 10; x = 7; r += x; out[t] = r)
//: out[t] == ((-(-6 // (t + 1)) - 1) * 100 + -(-6 // (t + 1))) * (t + 1)
EVERY_THREAD(every_thread_goes_9,
    int t = threadIdx.x; int i = 0; redo: int old = i; i = old + t + 1; if (i < 6) goto redo; out[t] = old * 100 + i)
//: out[t] == 6 if t == 2 else 1
EVERY_THREAD(every_thread_goes_10,
    int t = threadIdx.x, r = 0; if (t == 2) { goto inner; inner: r = 5; } r += 1; out[t] = r)
//: out[t] == {1: 100, 2: 121}.get(t, 104)
EVERY_THREAD(every_thread_goes_11,
    int t = threadIdx.x, r = 0; switch (t) { case 1: goto one; case 2: r = 20; break; default: r = 3; } r += 1;
    one: r += 100; out[t] = r)
EVERY_THREAD(every_thread_goes_12, int t = threadIdx.x; out[t] = found(t))  //: out[t] == t if t % 3 == 0 else -1

// Barriers between labels.
//: <<<1, 64>>> lockstep warps reversed
//: n = 2
//: out[t] == 63 - t % 64
__global__ void barriers_between_labels_1(int *out, int n) {
        __shared__ int s[64];
        int t = threadIdx.x;
        if (n > 2) goto out;
        s[t] = t;
        __syncthreads();
        out[t] = s[63 - t];
        return;
    out:
        out[t] = -1;
}

//: <<<1, 64>>> lockstep warps reversed
//: n = 2
//: barrier-divergence
//: uninitialised-read
__global__ void barriers_between_labels_2(int *out, int n) {
        __shared__ int s[64];
        int t = threadIdx.x;
        if (t == 5) goto out;
        s[t] = t;
        __syncthreads();
        out[t] = s[63 - t];
        return;
    out:
        out[t] = -1;
}

// A variable that was jumped over has no value.
//: <<<1, 4>>>
__global__ void a_variable_that_was_jumped_over_has_no_value(int *out) {
    int x; if (threadIdx.x == 1) goto end; x = 3; end: out[threadIdx.x] = x;
//                                                                        ^ uninitialised-read x1
}

// An endless circle ends with the budget.
//: <<<1, 1>>>
//: options max_steps=1000
//: budget-exceeded
__global__ void an_endless_circle_ends_with_the_budget(int *out) {
    again: out[0] = 1; if (out[0]) goto again;
}

// Refusals.
#define REFUSALS(NAME, ...) \
    __global__ void NAME(int *out) { \
        int t = threadIdx.x, r = 0; __VA_ARGS__ out[t] = r; \
    }
REFUSALS(refusals_1, goto nowhere;)
//                   ^ error: goto 'nowhere', a label that no enclosing block has
REFUSALS(refusals_2, goto inside; { inside: r = 1; })
//                   ^ error: goto 'inside', a label that no enclosing block has
REFUSALS(refusals_3, a: r = 1; goto a; a: r = 2;)
//                                     ^ error: the label 'a' is declared twice
REFUSALS(refusals_4, if (t) a: r = 1;)
//                          ^ error: label without a block around it; put braces around it
REFUSALS(refusals_5, switch (t) { case 1: a: r = 1; })
//                                        ^ error: label in a switch; put the statements of its case in braces
