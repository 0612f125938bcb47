struct Item { float x; int kind; short w[2]; };
__global__ void structs(Item *items, float4 *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Item mine = items[i];
    if (mine.kind > 1) { mine.x += v[i].y; mine.w[1]++; } else mine.kind = n;
    items[i] = mine;
    float4 all = v[i];
    all.w = mine.x;
    v[i] = all;
}
