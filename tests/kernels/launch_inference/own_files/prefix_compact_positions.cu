/* Stream compaction, step 3: scatter the elements whose flag is 1 to the position given by an exclusive scan. */
__global__ void scatter(const float *in, const int *flags, const int *positions, float *out, int n)
{
    int gid = threadIdx.x + blockIdx.x * blockDim.x;
    if (gid < n && flags[gid] == 1)
        out[positions[gid]] = in[gid];
}
