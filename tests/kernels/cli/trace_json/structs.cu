struct Particle { float x, y; int cell; };
__global__ void k(Particle *p) {
    p[threadIdx.x].y = 0.5f;
    p[threadIdx.x].cell = -20000001;
    if (threadIdx.x) p[0].x = p[4].x;
}
