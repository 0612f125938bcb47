__device__ int inner(int x) { int y = x * 10; return y; }
__global__ void k(int *C, int n)
{
    int x = 1;
    for (int x = 5; x < 6; ++x) {
        int y = x + 1;
        C[0] = y;
    }
    C[1] = x;
    float4 v = make_float4(1, 2, 3, 4);
    int own[2] = {7, 8};
    if (threadIdx.x == 0) {
        int x = inner(n);
        C[2] = x;
    }
    C[3] = x;
}
