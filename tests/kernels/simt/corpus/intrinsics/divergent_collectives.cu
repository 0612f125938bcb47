// Warp functions called from divergent places: the lanes of a mask meet, in any of the calls.

// They meet.
//: <<<1, 64>>> every schedule
//: o = zeros(64)
#define MEET(NAME, ...) \
    __global__ void NAME(int *o) { \
        int t = threadIdx.x, x = t; __shared__ int s[64]; s[t] = 0; __syncthreads(); __VA_ARGS__ o[t] = x; \
    }
MEET(meet_1, if (t & 1) __syncwarp(); else __syncwarp();)  //: o[t] == t
//: o[t] == t ^ 1
MEET(meet_2, if (t & 1) { s[t] = t; __syncwarp(); x = s[t ^ 1]; } else { s[t] = t; __syncwarp(); x = s[t ^ 1]; })
//: o[t] == (t ^ 1) + 100 * (t & 1)
MEET(meet_3, x = t & 1 ? __shfl_xor_sync(~0u, t, 1) : __shfl_xor_sync(~0u, t + 100, 1);)
MEET(meet_4, if (t % 32 < 8) x = __any_sync(~0u, 0); else x = __any_sync(~0u, t == 40);)  //: o[t] == t // 32
MEET(meet_5, if (t & 1) x = __ballot_sync(~0u, 0); else x = __ballot_sync(~0u, t % 32 < 8);)  //: o[t] == 85
//: o[t] == 256 + t // 32 * 512
MEET(meet_6, if (t & 1) x = __reduce_add_sync(~0u, t); else x = __reduce_add_sync(~0u, 0);)
//: o[t] == -1 if t & 1 else t ^ 1
MEET(meet_7, if (t & 1) x = __shfl_xor_sync(-1, t, 1u); else x = (unsigned)__shfl_xor_sync(~0u, 7u - 8u, 1);)
//: o[t] == t
MEET(meet_8, for (int i = t % 4; i < 4; ++i) __syncwarp(); for (int i = 0; i < t % 4; ++i) __syncwarp();)
MEET(meet_9, for (int i = 0; i < 3; ++i) { if (t & i) __syncwarp(); else __syncwarp(); })  //: o[t] == t
MEET(meet_10, if (t & 1) { s[t] = 1; o[t] = t; return; } if (t & 2) __syncwarp(); else __syncwarp();)  //: o[t] == t
MEET(meet_11, if (t % 32 < 16) { if (t & 1) __syncwarp(0xffff); else __syncwarp(0xffff); })  //: o[t] == t

// Lanes that never come are reported.
//: <<<1, 64>>> every schedule
//: o = zeros(64)
#define LANES_NEVER(NAME, ...) \
    __global__ void NAME(int *o) { \
        int t = threadIdx.x, x = t; __shared__ int s[64]; s[t] = 0; __syncthreads(); __VA_ARGS__; o[t] = x; \
    }
//: warp-mask: which does not come here: it took another way
LANES_NEVER(lanes_never_come_1, if (t & 1) __syncwarp(0xaaaaaaaa); else __syncwarp())
//: warp-mask: which does not come here: it took another way
LANES_NEVER(lanes_never_come_2, if (t & 1) __syncwarp(); else x = __any_sync(~0u, 1))
//: warp-mask: which does not come here: it took another way
LANES_NEVER(lanes_never_come_3, if (t & 1) __any_sync(~0u, 1); else __all_sync(~0u, 1))
//: warp-mask: which does not come here: it took another way
LANES_NEVER(lanes_never_come_4, for (int i = 0; i < t % 4; ++i) __syncwarp())
//: warp-mask: which does not come here: it took another way
LANES_NEVER(lanes_never_come_5, if (t & 1) { __syncwarp(); __syncwarp(); } else __syncwarp())
//: warp-mask: which does not come here: it took another way
LANES_NEVER(lanes_never_come_6, if (t & 1) for (int d = 16; d; d /= 2) x = __reduce_add_sync(~0u, x))
