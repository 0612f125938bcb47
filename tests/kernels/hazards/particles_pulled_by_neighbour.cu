// Moves particles. Broken: each reads its neighbour's place while the neighbour changes it.
struct Particle {
    float x, v;
};

extern "C" __global__ void particles_pulled_by_neighbour(Particle *all, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float pull = all[(i + 1) % n].x;
        all[i].x += all[i].v * dt + pull * 0.125f;
    }
}

/* hazard
trace = "--grid 2 --block 32 --arg all=f32[64,2]:iota --arg n=64 --arg dt=0.5"
hazards = [{ kind = "data-race", array = "all", lines = [10, 11] }]
seen = []
unseen = "racecheck watches shared memory only, not global memory."
*/
