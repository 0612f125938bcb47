// References whose target depends on a condition that differs between threads.

// References to one place or another.

struct Corner {
    float x[3];
    __device__ float &axis(int i) { switch (i) { case 0: return x[0]; case 1: return x[1]; default: return x[2]; } }
};
__device__ float &first(float *a, float *b, int i) { if (i % 2) return a[i]; return b[i]; }
__device__ float &second(float *a, float *b, int i) { return i % 2 ? b[i] : a[i]; }
__device__ float &larger(float &a, float &b) { if (a < b) return b; else return a; }

//: out == [165305, 2050513, 146305, 2071513, 286305, 77513, 278305, 89513]
__global__ void references_to_one_place_or_another(float *out) {
    __shared__ float s[8];
    int t = threadIdx.x;
    s[t] = 0;
    first(out, s, t) = 3;
    second(out, s, t) = 5;
    first(out, s, t) += 10;
    float a = 1, b = t;
    float &one = t & 4 ? a : b;
    one += 100;
    (t & 1 ? a : b) = 7;
    ++(t & 2 ? a : b);
    larger(a, b) *= 2;
    Corner c;
    c.axis(1) = 3;
    c.axis(t + 2) = a;
    out[t] += 100 * s[t] + 1000 * (c.axis(1) + c.x[2]) + 10000 * b;
}
