// Reverses an array in place: half the threads swap a pair each.
extern "C" __global__ void reverse_in_place(int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) {
        int x = a[i];
        a[i] = a[n - 1 - i];
        a[n - 1 - i] = x;
    }
}

/* hazard
trace = "--grid 2 --block 32 --arg a=i32[101]:iota --arg n=101"
hazards = []
seen = []
first = { a = [100, 99, 98, 97, 96, 95, 94, 93] }
*/
