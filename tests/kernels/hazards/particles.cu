// Moves particles one time step: an array of structs.
struct Particle {
    float x, y, vx, vy;
};

extern "C" __global__ void particles(Particle *all, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Particle &p = all[i];
        p.x += p.vx * dt;
        p.y += p.vy * dt;
    }
}

/* hazard
trace = "--grid 2 --block 32 --arg all=f32[40,4]:iota --arg n=40 --arg dt=0.5"
hazards = []
seen = []
first = { all = [1, 2.5, 2, 3, 7, 8.5, 6, 7] }
*/
