// Barriers of part of a block, which warps meet at by number.

// Warps meet at a number.
//: <<<1, 128>>> lockstep warps shuffle:3
//: out = unwritten(192)
#define WARPS_MEET(NAME, ...) \
    __global__ void NAME(int *out) { \
        __shared__ int s[64]; int t = threadIdx.x; __VA_ARGS__ \
    }
//: out[t] == t // 64 * 100 + 63 - t % 64
WARPS_MEET(warps_meet_number_1,
    if (t < 64) { for (int i = 0; i < 3; ++i) { s[t] = i * 100 + t; __barrier_sync_count(1, 128); __barrier_sync_count(1, 128); } } else { for (int i = 0; i < 3; ++i) { __barrier_sync_count(1, 128); out[i * 64 + t - 64] = s[127 - t]; __barrier_sync_count(1, 128); } })
//: barrier-divergence
//: data-race
WARPS_MEET(warps_meet_number_2,
    if (t < 64) { for (int i = 0; i < 3; ++i) { s[t] = i * 100 + t; __barrier_sync_count(1, 128); __barrier_sync_count(1, 128); } } else { for (int i = 0; i < 3; ++i) { __barrier_sync_count(2, 128); out[i * 64 + t - 64] = s[127 - t]; __barrier_sync_count(2, 128); } })
//: out[t] == t // 64 * 100 + 63 - t % 64
WARPS_MEET(warps_meet_number_3,
    if (t < 64) { for (int i = 0; i < 3; ++i) { s[t] = i * 100 + t; __barrier_sync(3); __barrier_sync(3); } } else { for (int i = 0; i < 3; ++i) { __barrier_sync(3); out[i * 64 + t - 64] = s[127 - t]; __barrier_sync(3); } })
