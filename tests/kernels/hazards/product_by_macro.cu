// The product of all numbers: whoever finds that another one came first tries again.
#define SWAP(place, was, now) atomicCAS(place, was, now)
extern "C" __global__ void product_by_macro(const int *in, int *product)
{
    int old = *product, was;
    do {
        was = old;
        old = SWAP(product, was, was * in[blockIdx.x * blockDim.x + threadIdx.x]);
    } while (old != was);
}

/* hazard
trace = "--grid 2 --block 8 --arg in=i32[16]:randint(2,3,1) --arg product=i32[1]:ones"
hazards = []
first = { product = [1119744] }
seen = []
*/
