// Items inherit their link; each thread walks the list from its own item on.
struct Link
{
    const Link *next;
    int weight;
};

struct Item : Link
{
    int id;
};

extern "C" __global__ void list_of_bases(int *out)
{
    __shared__ Item items[32];
    int t = threadIdx.x;
    items[t].id = t;
    items[t].weight = t + 1;
    items[t].next = t ? &items[t - 1] : nullptr;
    __syncthreads();
    int sum = 0;
    for (const Link *at = &items[t]; at; at = at->next)
        sum += at->weight;
    out[t] = sum + items[t].id;
}

/* hazard
trace = "--grid 1 --block 32 --arg out=i32[32]:uninit"
hazards = []
seen = []
first = { out = [1, 4, 8, 13, 19, 26, 34, 43] }
*/
