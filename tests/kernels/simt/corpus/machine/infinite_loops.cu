// Infinite loops are recognised after a thousand iterations; loops that end never are.

// It is told why it never ends.
//: <<<1, 8>>> every schedule unrecorded
//: options max_steps=20000
//: C = zeros(64)
//: A = ones(64)
//: n = 16
//: besides data-race
//: trace.stopped == "stopped in a loop that never ends"
//: trace.steps < 6000
#define TOLD_WHY(NAME, ...) \
    __global__ void NAME(int *C, const int *A, int n) { \
        int t = threadIdx.x; __VA_ARGS__ \
    }
//: budget-exceeded: whether it ends depends on n and t, which do not change any more
TOLD_WHY(told_why_never_1, while (t < n) C[t] += A[t];)
//: budget-exceeded: i and n, which do not change any more
TOLD_WHY(told_why_never_2, for (int i = 0; i < n; ) C[t] += i;)
//: budget-exceeded: whether it ends depends on s, which does not change any more
TOLD_WHY(told_why_never_3, for (int s = n; s >= 0; s /= 2) C[t] += s;)
//: budget-exceeded: stopped in a loop that never ends
TOLD_WHY(told_why_never_4, for (unsigned s = n; s >= 0; s >>= 1) { if (t < s) C[t] += 1; __syncthreads(); })
//: budget-exceeded: i, n and s, which do not
TOLD_WHY(told_why_never_5, int s = 0; for (int i = 0; i < n; i += s) { s = min(s, i); C[t] += 1; })
//: budget-exceeded: whether it ends depends on A, which does not change any more
TOLD_WHY(told_why_never_6, while (A[0]) C[t] += 1;)
//: budget-exceeded: p, which does not change any more
TOLD_WHY(told_why_never_7, const int *p = A + 3; do C[t]++; while (*p == 1);)
//: budget-exceeded: f, which does not change any more
TOLD_WHY(told_why_never_8, float f = 1; while (f > 0.5f) { f = f * 1.0f; C[t]++; })
//: budget-exceeded: f, which does not change any more
TOLD_WHY(told_why_never_9, float f = 0; while (f != 1) { f = f / f; C[t]++; })
//: budget-exceeded: it has no condition that could end it
TOLD_WHY(told_why_never_10, for (;;) C[t] += 1;)
//: budget-exceeded: t, which does not change any more
TOLD_WHY(told_why_never_11, while (true) { C[t] += 1; if (t > 99) break; })
//: budget-exceeded: d, which does not change
TOLD_WHY(told_why_never_12, struct { int left, right; } d = {n, 0}; while (d.left > d.right) d.right += 0;)
//: budget-exceeded: stopped in a loop that never ends
TOLD_WHY(told_why_never_13, int i = 0; while (i < n) { if (t == i) C[t] = 1; if (C[0] > 5) C[1]++; })
//: budget-exceeded: t, which does not change any more
TOLD_WHY(told_why_never_14, for (int j = 0; j < 3; j++) if (t == 5) while (t) C[t] += j;)
//: budget-exceeded: A and s, which are the same again every 48 rounds
TOLD_WHY(told_why_never_15, int s = t; while (A[s] != 7) s = (s + 1) % 48; C[t] = s;)
