// k-means, step 1: label each point with its nearest centroid (points: n x dim, centroids: k x dim)
__global__ void assign_clusters(const float *points, const float *centroids, int *labels, int n, int k, int dim)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= n)
        return;

    float best = 1e30f;
    int best_c = 0;
    for (int c = 0; c < k; ++c) {
        float dist = 0.f;
        for (int d = 0; d < dim; ++d) {
            float diff = points[p * dim + d] - centroids[c * dim + d];
            dist += diff * diff;
        }
        if (dist < best) {
            best = dist;
            best_c = c;
        }
    }
    labels[p] = best_c;
}
