// A warp holds its row in registers: one reading, and lanes that know each other's results by shuffles.
//
// idea     what is in registers need not be read again; a warp needs no shared memory and no barrier
// mapping  warp w of the grid has row w; lane l loads WIDTH neighbours at a time, from column WIDTH * l of each part of
//          32 * WIDTH columns; beyond the row it holds -infinity, which adds exp(-infinity) = 0
// watch    each element is read once and written once, 16 bytes at a time where rows are aligned to them; what streams
//          (__ldcs, __stcs) is the first to leave the caches, since nothing is needed twice

#ifndef WIDTH
#define WIDTH 1     // elements of a load: 4 if rows are aligned to 16 bytes, else 1
#define PER_LANE 8  // elements of a lane: a row has up to 32 * PER_LANE
#endif
#if WIDTH == 4
typedef float4 Loaded;
#define LOAD(place) __ldcs(place)
#else
typedef float Loaded;
#define LOAD(place) *(place)  // two loads may share a sector, which stays in the caches between them
#endif
#define MINUS_INFINITY __int_as_float(0xff800000)

extern "C" __global__ void softmax_warp(const float *x, float *y, int rows, int cols)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int first = threadIdx.x % 32 * WIDTH;
    if (row >= rows)
        return;  // the whole warp

    __align__(16) float value[PER_LANE];
#pragma unroll
    for (int i = 0; i < PER_LANE; i += WIDTH) {
        for (int j = i; j < i + WIDTH; ++j)
            value[j] = MINUS_INFINITY;
        if (first + i * 32 < cols)
            *reinterpret_cast<Loaded *>(&value[i]) =
                LOAD(reinterpret_cast<const Loaded *>(&x[row * cols + first + i * 32]));
    }

    float largest = value[0];
    for (int i = 1; i < PER_LANE; ++i)
        largest = fmaxf(largest, value[i]);
    for (int step = 16; step > 0; step /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, step));

    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < PER_LANE; ++i) {
        value[i] = expf(value[i] - largest);
        sum += value[i];
    }
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, step);

#pragma unroll
    for (int i = 0; i < PER_LANE; i += WIDTH) {
        for (int j = i; j < i + WIDTH; ++j)
            value[j] *= 1.0f / sum;
        if (first + i * 32 < cols)
            __stcs(reinterpret_cast<Loaded *>(&y[row * cols + first + i * 32]), *reinterpret_cast<Loaded *>(&value[i]));
    }
}

/* tilescope
title    = "Softmax: a warp a row"
teaches  = "A row that fits into the registers of a warp is read once; its sums are made by shuffles."
workload = "softmax"
order    = 95
block    = [64]
blocks   = [[64], [128], [256]]
grid     = ["(rows + block_x / 32 - 1) / (block_x / 32)"]
require  = [
  ["block_y * block_z == 1 && block_x % 32 == 0 && block_x <= 256",
   "it works with whole warps: choose one multiple of 32 up to 256, as in block 128"],
  ["cols <= 4096", "a warp has registers for rows of up to 4,096 columns: choose fewer, or softmax_online"],
  ["rows <= 2147483647 / cols", "an index is an int: choose at most 2,147,483,647 elements"],
]

[define]
WIDTH    = "cols > 64 && cols % 4 == 0 ? 4 : 1"
PER_LANE = """cols <= 32 ? 1 : cols <= 64 ? 2 : cols <= 128 ? 4 : cols <= 256 ? 8 :
              cols <= 512 ? 16 : cols <= 1024 ? 32 : cols <= 2048 ? 64 : 128"""
*/
