// The objects of k-means shared by the workers of the CPU: the first step, which takes nearly all of the time.
//
// idea     no two workers write the same label, so none has to wait for another
// mapping  worker t of T labels the objects from n * t / T up to, and without, n * (t + 1) / T
// watch    every worker reads all centres, and only its own objects

#include <omp.h>

void kmeans_parallel(const float *objects, const float *centres, int *labels, int n, int d, int k)
{
    int worker = omp_get_thread_num();  // each worker of an "omp parallel" region calls this function
    int workers = omp_get_num_threads();
    int first = n * worker / workers;
    int last = n * (worker + 1) / workers;

    for (int object = first; object < last; ++object) {
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

/* tilescope
title    = "Nearest centres, shared by workers"
teaches  = "The objects are split over T workers; each finds the nearest centres of its own objects."
workload = "kmeans_assign"
order    = 71
runs_on  = "cpu"
threaded = true
block    = [2]
blocks   = [[1], [2], [4], [8], [16]]
grid     = ["1"]
require  = [["block_y * block_z == 1", "the workers stand in a row: choose one number, as in block 4"]]
*/
