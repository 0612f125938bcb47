__global__ void k(const float *A, int n)
{
    __shared__ float s[4];
    int x = threadIdx.x;
    if (x < n)
        s[x] = A[x];
    else
        s[x] = 0.0f;
}
