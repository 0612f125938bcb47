// Position of each key in a sorted array. Broken: `low = middle` no longer moves when high is low + 1.
extern "C" __global__ void binary_search_endless(const int *sorted, const int *key, int *position, int n)
{
    int i = threadIdx.x, low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (sorted[middle] < key[i])
            low = middle;
        else
            high = middle;
    }
    position[i] = low;
}

/* hazard
trace = '''
    --grid 1 --block 32 --arg sorted=i32[50]:iota --arg key=i32[32]:mod(9) --arg position=i32[32]:zeros
    --arg n=50 --max-steps 2000'''
hazards = [{ kind = "budget-exceeded", array = "", lines = [5], message = "the loop in line 5 `while (low < high)` ran" }]
endless = true
seen = []
unseen = "It never ends on a GPU, so it is not run there."
*/
