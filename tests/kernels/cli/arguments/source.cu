struct P { signed char c; unsigned short s; int i; float f; };
__constant__ int limits[2];
__global__ void k(signed char *x, int n, unsigned u, float f, P p) { x[0] = n + u + f + p.c + limits[0]; }
__global__ void q(P *p, char *rest) { p[0].c = 1; rest[0] = 1; }
