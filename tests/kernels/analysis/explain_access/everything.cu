struct P { float x, y; };
__device__ float first(const float *v, int n) { float s = 0; for (int i = 0; i < n; ++i) s += v[i]; return s; }
template <typename T, int W> __device__ T times(const T *v, int i) { T y = v[i * W]; return y; }
__global__ void k(const float *A, const float4 *V, P *S, float *C, int n)
{
    __shared__ float4 s[2][4];
    int t = threadIdx.x;
    s[0][t] = V[t + 1];
    float w = V[t].w;
    float4 u = reinterpret_cast<const float4 *>(A)[t + 2];
    P p = S[t];
    S[t].y = u.y;
    float a = s[0][t].z;
    C[n * 2 + t] = *(A + 2 * t);
    const float *q = A + 10;
    w += q[t];
    w += *q;
    A += n;
    w += A[t];
    w += first(A + t, 1);
    w += times<float, 5>(A, t);
    int i = t;
    C[i++] = w;
    C[++i] = a;
}
