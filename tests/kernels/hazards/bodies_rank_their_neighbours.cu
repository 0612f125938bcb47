// Each body keeps its four nearest others, nearest first. The last of a struct has as many places as there is room.
struct Body {
    float x;
    float nearest[4];
    int count;
    int more[1];
};

extern "C" __global__ void bodies_rank_their_neighbours(Body *bodies, const float *others, int n)
{
    Body &me = bodies[threadIdx.x];
    me.count = 0;
    for (int j = 0; j < n; ++j) {
        float d = fabsf(others[j] - me.x);
        int k = me.count < 4 ? me.count++ : 4;
        for (; k > 0 && me.nearest[k - 1] > d; --k)
            if (k < 4)
                me.nearest[k] = me.nearest[k - 1];
        if (k < 4)
            me.nearest[k] = d;
    }
    float sum = 0.0f;
    for (const float *p = &me.nearest[0]; p != &me.nearest[4]; ++p)
        sum += *p;
    me.x = sum;
    me.more[0] = me.count;
}

/* hazard
trace = "--grid 1 --block 32 --arg bodies=u8[896]:zeros --arg others=f32[6]:iota --arg n=6"
hazards = []
seen = []
*/
