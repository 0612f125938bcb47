"""Collectives of tiles wider than a warp, in CUDA C: shuffles, a word of shared memory for each warp, two barriers.

cuda's own header keeps its words in `block_tile_memory` and adds up in another order; here that is as written below.
"""

from __future__ import annotations

from typing import Final

_WARP: Final = "({rank} / 32)"
_FIRST: Final = "({rank} / {size} * ({size} / 32))"

REDUCE: Final = f"""template <typename T{{function}}> __device__ T reduce(T v{{operand}}) {{{{
    __shared__ T partial[32];
    for (int distance = 16; distance > 0; distance /= 2) {{{{
        T o = __shfl_xor_tile(0xffffffffu, v, distance);
        v = {{operation}};
    }}}}
    if ({{rank}} % 32 == 0) partial[{_WARP}] = v;
    __tile_sync({{size}});
    v = partial[{_FIRST}];
    for (int warp = 1; warp < {{size}} / 32; ++warp) {{{{
        T o = partial[{_FIRST} + warp];
        v = {{operation}};
    }}}}
    __tile_sync({{size}});
    return v;
}}}}"""

SCAN: Final = f"""template <typename T{{function}}> __device__ T scan(T v{{operand}}) {{{{
    __shared__ T partial[32];
    for (int distance = 1; distance < 32; distance *= 2) {{{{
        T o = __shfl_up_tile(0xffffffffu, v, distance);
        if ({{rank}} % 32 >= distance) v = {{operation}};
    }}}}
    if ({{rank}} % 32 == 31) partial[{_WARP}] = v;
    __tile_sync({{size}});
    bool some = {{inclusive}} || {{rank}} % 32 != 0;
    if (!{{inclusive}}) v = __shfl_up_tile(0xffffffffu, v, 1);
    for (int warp = (int){_WARP} - 1; warp >= (int){_FIRST}; --warp) {{{{
        T o = partial[warp];
        if (some) v = {{operation}};
        else v = o;
        some = true;
    }}}}
    __tile_sync({{size}});
    return some ? v : T();
}}}}"""

SHUFFLE: Final = f"""template <typename T> __device__ T shfl(T v, unsigned source) {{{{
    __shared__ T taken[32];
    if ({{rank}} % {{size}} == source) taken[{_FIRST}] = v;
    __tile_sync({{size}});
    v = taken[{_FIRST}];
    __tile_sync({{size}});
    return v;
}}}}"""

VOTE: Final = f"""template <typename T> __device__ int vote(T predicate) {{{{
    __shared__ int partial[32];
    int v = __{{name}}_sync(0xffffffffu, predicate);
    if ({{rank}} % 32 == 0) partial[{_WARP}] = v;
    __tile_sync({{size}});
    v = partial[{_FIRST}];
    for (int warp = 1; warp < {{size}} / 32; ++warp) v = v {{op}} partial[{_FIRST} + warp];
    __tile_sync({{size}});
    return v;
}}}}"""
