// Counts random points inside a circle: a generator for each thread, one atomic each.
extern "C" __global__ void monte_carlo_pi(unsigned int *inside, int points)
{
    unsigned int seed = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 1u, hits = 0;
    for (int i = 0; i < points; ++i) {
        seed = seed * 1664525u + 1013904223u;
        float x = (seed >> 8) * (1.0f / 16777216.0f);
        seed = seed * 1664525u + 1013904223u;
        float y = (seed >> 8) * (1.0f / 16777216.0f);
        if (x * x + y * y <= 1.0f)
            ++hits;
    }
    atomicAdd(inside, hits);
}

/* hazard
trace = "--grid 2 --block 64 --arg inside=u32[1]:zeros --arg points=16"
hazards = []
seen = []
*/
