// Rows of Pascal's triangle in shared memory. Broken: new values are stored while neighbours still read the old row.
extern "C" __global__ void pascal_triangle_stale_row(int *out, int rows)
{
    __shared__ int row[64];
    int t = threadIdx.x;
    row[t] = t == 0;
    __syncthreads();
    for (int r = 1; r < rows; ++r) {
        int left = t > 0 ? row[t - 1] : 0;
        row[t] += left;
        __syncthreads();
    }
    out[t] = row[t];
}

/* hazard
trace = "--grid 1 --block 64 --arg out=i32[64]:uninit --arg rows=6"
hazards = [{ kind = "data-race", array = "row", lines = [9, 10] }]
seen = ["racecheck"]
*/
