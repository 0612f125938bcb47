struct View { float *data; int n; };
__global__ void k(const View *v, float *x) {
    View own[2];
    own[1] = v[0];
    x[threadIdx.x] = own[1].data[threadIdx.x] + own[1].n;
}
