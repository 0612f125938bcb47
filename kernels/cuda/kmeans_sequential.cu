// k-means on one core: assign, sum up, divide, again and again.
//
// idea     each object gets the label of the nearest centre; each centre moves to the mean of its objects
// mapping  none: one worker does everything, object by object
// watch    the labels change less from iteration to iteration; assigning takes n * d * k steps, the rest n * d

#ifndef ITERATIONS
#define ITERATIONS 3
#endif

void kmeans_sequential(const float *objects, const float *initial, int *labels, float *centres, float *sums,
                       int *counts, int n, int d, int k)
{
    for (int i = 0; i < k * d; ++i)
        centres[i] = initial[i];

    for (int iteration = 0; iteration < ITERATIONS; ++iteration) {
        for (int i = 0; i < k * d; ++i)
            sums[i] = 0.0f;
        for (int j = 0; j < k; ++j)
            counts[j] = 0;

        for (int object = 0; object < n; ++object) {
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

        for (int object = 0; object < n; ++object) {
            for (int c = 0; c < d; ++c)
                sums[labels[object] * d + c] += objects[c * n + object];
            counts[labels[object]] += 1;
        }

        for (int j = 0; j < k; ++j)
            if (counts[j] > 0)  // a centre without objects stays where it is
                for (int c = 0; c < d; ++c)
                    centres[j * d + c] = sums[j * d + c] / counts[j];
    }
}

/* tilescope
title    = "k-means on one core"
teaches  = "Lloyd's iterations in plain loops: assign each object, sum up the objects of each centre, divide."
workload = "kmeans"
order    = 70
runs_on  = "cpu"
block    = [1]
blocks   = [[1]]
grid     = ["1"]
define   = { ITERATIONS = "3" }
require  = [["block_x * block_y * block_z == 1", "it runs on one core: choose block 1"]]
*/
