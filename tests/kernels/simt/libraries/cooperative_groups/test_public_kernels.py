"""Cooperative groups as public kernels use them, each case rewritten."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kernels.errors import SourceError
from kernels.simt import Argument, Unwritten
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


@pytest.mark.parametrize(
    ("operation", "kind", "of"),
    [
        ("plus", "float", np.sum),
        ("less", "int", np.min),
        ("greater", "float", np.max),
    ],
)
def test_reduce_over_a_tile(operation: str, kind: str, of: Any) -> None:
    source = f"""
    namespace cg = cooperative_groups;
    __global__ void k({kind} *a) {{
        auto tile = cg::tiled_partition<8>(cg::this_thread_block());
        a[threadIdx.x] = cg::reduce(tile, a[threadIdx.x], cg::{operation}<{kind}>());
    }}"""
    dtype = {"float": np.float32, "int": np.int32}[kind]
    given = np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3], dtype)
    found = trace(source, {"a": given}, block=(16,))
    expected = [of(part) for part in given.reshape(2, 8)]
    assert found.outputs["a"].tolist() == np.repeat(expected, 8).tolist()
    assert found.hazards == ()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("cg::this_grid().shfl(1, 2);", "grid_group.shfl()"),
        ("cg::tiled_partition<1024>(block).sync();", "a tile of this size; use 1, 2, 4, 8, 16 or 32 threads"),
        ("block.shfl(1, 2);", "thread_block.shfl()"),
        ("block.sync(1);", "thread_block.sync takes 0 arguments, 1 are given"),
    ],
)
def test_unsupported_members_of_groups_are_refused(line: str, message: str) -> None:
    before = "namespace cg = cooperative_groups;\n__global__ void k() { auto block = cg::this_thread_block();"

    with pytest.raises(SourceError, match=r"test.cu:3:") as caught:
        trace(f"{before}\n{line} }}")
    assert message in str(caught.value)


GRID = """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void turn(int *a, int *out) {
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank();
    a[i] = i;
    WAIT
    out[i] = a[grid.size() - 1 - i];
    WAIT
    a[i] = 0;
}"""


@pytest.mark.parametrize("schedule", ["lockstep", "warps", "reversed", "shuffle:1"])
@pytest.mark.parametrize("wait", ["grid.sync();", "cg::sync(grid);"])
def test_a_barrier_of_the_whole_grid_orders_its_blocks(schedule: str, wait: str) -> None:
    given: dict[str, Argument] = {"a": Unwritten("int32", (256,)), "out": Unwritten("int32", (256,))}
    found = trace(GRID.replace("WAIT", wait), given, grid=(4,), block=(64,), schedule=schedule)
    assert found.outputs["out"].tolist() == list(range(255, -1, -1))
    assert found.hazards == ()


@pytest.mark.parametrize("wait", ["__syncthreads();", "", "cg::this_thread_block().sync();"])
def test_less_than_a_barrier_of_the_whole_grid_leaves_races(wait: str) -> None:
    given: dict[str, Argument] = {"a": Unwritten("int32", (256,)), "out": Unwritten("int32", (256,))}
    found = trace(GRID.replace("WAIT", wait), given, grid=(4,), block=(64,))
    assert {hazard.kind for hazard in found.hazards} == {"data-race"}


@pytest.mark.parametrize(
    ("line", "kinds"),
    [
        ("if (blockIdx.x) grid.sync();", {"barrier-divergence"}),
        ("grid.sync(); if (blockIdx.x) return; grid.sync();", {"barrier-divergence"}),
        ("int x = a[threadIdx.x]; grid.sync(); a[threadIdx.x + blockIdx.x * 8] = x;", {"uninitialised-read"}),
        ("grid.sync(); a[0] = blockIdx.x;", {"data-race"}),
        ("a[0] = blockIdx.x; grid.sync();", {"data-race"}),
        ("if (grid.thread_rank() == 0) a[0] = 1; grid.sync(); a[grid.thread_rank()] = a[0];", {"data-race"}),
        (
            "if (grid.thread_rank() == 0) a[0] = 1; grid.sync(); int x = a[0]; grid.sync(); a[grid.thread_rank()] = x;",
            set(),
        ),
    ],
)
def test_hazards_around_a_grid_barrier(line: str, kinds: set[str]) -> None:
    source = f"""
    __global__ void k(int *a) {{
        cooperative_groups::grid_group grid = cooperative_groups::this_grid();
        {line}
    }}"""
    found = trace(source, {"a": Unwritten("int32", (16,))}, grid=(2,))
    assert {hazard.kind for hazard in found.hazards} - {"result-never-written"} == kinds
