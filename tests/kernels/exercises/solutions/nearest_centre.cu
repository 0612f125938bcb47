extern "C" __global__ void nearest_centre(const float *objects, const float *centres, int *labels, int n, int d, int k)
{
    int object = blockIdx.x * blockDim.x + threadIdx.x;

    if (object < n) {
        int label = 0;
        float nearest = 0.0f;
        for (int j = 0; j < k; ++j) {
            float distance = 0.0f;
            for (int c = 0; c < d; ++c) {
                float difference = objects[c * n + object] - centres[j * d + c];
                distance += difference * difference;
            }
            if (j == 0 || distance < nearest) {
                nearest = distance;
                label = j;
            }
        }
        labels[object] = label;
    }
}
