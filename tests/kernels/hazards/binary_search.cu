// Position of each key in a sorted array.
extern "C" __global__ void binary_search(const int *sorted, const int *key, int *position, int n)
{
    int i = threadIdx.x, low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (sorted[middle] < key[i])
            low = middle + 1;
        else
            high = middle;
    }
    position[i] = low;
}

/* hazard
trace = '''
    --grid 1 --block 32 --arg sorted=i32[50]:iota --arg key=i32[32]:mod(9) --arg position=i32[32]:uninit
    --arg n=50'''
hazards = []
seen = []
first = { position = [0, 1, 2, 3, 4, 5, 6, 7] }
*/
