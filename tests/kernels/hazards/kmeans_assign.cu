// k-means, first half: the nearest of K centres for each point in the plane.
extern "C" __global__ void kmeans_assign(const float *x, const float *y, const float *cx, const float *cy, int *label,
                                         int n, int K)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int best = 0;
    float least = 1e30f;
    for (int k = 0; k < K; ++k) {
        float dx = x[i] - cx[k], dy = y[i] - cy[k], distance = dx * dx + dy * dy;
        if (distance < least) {
            least = distance;
            best = k;
        }
    }
    label[i] = best;
}

/* hazard
trace = '''
    --grid 2 --block 64 --arg x=f32[100]:mod(4) --arg y=f32[100]:zeros --arg cx=f32[4]:iota --arg cy=f32[4]:zeros
    --arg label=i32[100]:uninit --arg n=100 --arg K=4'''
hazards = []
seen = []
first = { label = [0, 1, 2, 3, 0, 1, 2, 3] }
*/
