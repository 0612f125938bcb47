"""Cooperative groups as public kernels use them, each case rewritten."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.simt import Unwritten
from tests.kernels.simt.programs import trace


def test_a_block_is_a_cooperative_group() -> None:
    source = """
    #include <cooperative_groups.h>
    namespace cg = cooperative_groups;
    __device__ void turn(cg::thread_group group, int *tile) {
        int mine = tile[group.size() - 1 - group.thread_rank()];
        group.sync();
        tile[group.thread_rank()] = mine;
        group.sync();
    }
    __global__ void k(int *out) {
        cg::thread_block block = cg::this_thread_block();
        __shared__ int tile[8];
        tile[block.thread_rank()] = block.group_index().x + block.thread_index().x;
        cg::sync(block);
        turn(block, tile);
        auto grid = cg::this_grid();
        out[grid.thread_rank()] = tile[block.thread_rank()] + block.num_threads();
    }"""
    found = trace(source, {"out": Unwritten("int32", (16,))}, grid=(2,))
    assert found.outputs["out"].tolist() == [8 + b + 7 - t for b in range(2) for t in range(8)]
    assert found.hazards == ()
    assert [s.kind for s in found.statements].count("barrier") == 3


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16, 32])
def test_tiles_of_a_warp_shuffle_among_themselves(size: int) -> None:
    source = f"""
    using namespace cooperative_groups;
    template <int SIZE> __device__ int sum(thread_block_tile<SIZE> tile, int x) {{
        for (int d = tile.size() / 2; d > 0; d /= 2) x += tile.shfl_down(x, d);
        return tile.shfl(x, 0);
    }}
    __global__ void k(int *out, unsigned *votes) {{
        thread_block_tile<{size}> tile = tiled_partition<{size}>(this_thread_block());
        int t = threadIdx.x;
        out[t] = sum<{size}>(tile, t) + 1000 * tile.meta_group_rank() + 100000 * tile.thread_rank();
        votes[t] = tile.ballot(tile.thread_rank() == t % 2) * tile.any(true);
    }}"""
    found = trace(source, {"out": Unwritten("int32", (64,)), "votes": Unwritten("uint32", (64,))}, block=(64,))
    threads = np.arange(64)
    sums = threads.reshape(-1, size).sum(1).repeat(size)
    assert found.outputs["out"].tolist() == (sums + 1000 * (threads // size) + 100000 * (threads % size)).tolist()
    bits = (threads % size == threads % 2) << (threads % size)
    assert found.outputs["votes"].tolist() == bits.reshape(-1, size).sum(1).repeat(size).tolist()
    assert found.hazards == ()
