#define W 16
#define IDX(r, c) ((r) * W + (c))
#define TWO 1 + 1
__global__ void k(int n, float *a)
{
    n = n * W + 1;
    a[IDX(n + 1, W)] = W;
    for (int i = 0; i < W; /* é */ ++i)
        n = TWO;
    if (n < W) n = IDX(n,
                       2); else n = 3;
    while (n) { n = 1; }
    do n = 0; while (n == W);
}
