"""Collectives of cooperative groups: reductions, scans, copies, and what is refused."""

from __future__ import annotations

import re

import numpy as np
import pytest

from kernels.errors import SourceError
from kernels.simt import Unwritten
from tests.kernels.simt.programs import trace

USING = "namespace cg = cooperative_groups;\n"


def test_reduce_structs_with_a_function() -> None:
    source = (
        USING
        + """
    struct Best { float value; int place; };
    __device__ Best better(Best a, Best b) { return a.value > b.value ? a : b; }
    __global__ void k(const float *in, int *out) {
        auto warp = cg::tiled_partition<32>(cg::this_thread_block());
        Best mine = { in[threadIdx.x], (int)threadIdx.x };
        Best best = cg::reduce(warp, mine, better);
        if (warp.thread_rank() == 0) out[warp.meta_group_rank()] = best.place;
    }"""
    )
    given = np.random.default_rng(3).random(64).astype(np.float32)
    found = trace(source, {"in": given, "out": Unwritten("int32", (2,))}, block=(64,))
    assert found.outputs["out"].tolist() == [int(given[:32].argmax()), 32 + int(given[32:].argmax())]
    assert found.hazards == ()


@pytest.mark.parametrize("size", [4, 16, 32])
@pytest.mark.parametrize(
    ("call", "function"),
    [
        ("inclusive_scan(tile, v)", np.add),
        ("inclusive_scan(tile, v, cg::plus<int>())", np.add),
        ("inclusive_scan(tile, v, cg::greater<int>())", np.maximum),
        ("inclusive_scan(tile, v, [](int a, int b) { return a > b ? a : b; })", np.maximum),
    ],
)
def test_scans_of_a_tile(size: int, call: str, function: np.ufunc) -> None:
    source = f"""{USING}
    __global__ void k(int *a) {{
        auto tile = cg::tiled_partition<{size}>(cg::this_thread_block());
        int v = a[threadIdx.x];
        a[threadIdx.x] = cg::{call};
    }}"""
    given = np.random.default_rng(1).integers(0, 100, 32).astype(np.int32)
    found = trace(source, {"a": given}, block=(32,))
    rows = given.reshape(-1, size)
    assert found.outputs["a"].tolist() == function.accumulate(rows, axis=1).reshape(-1).tolist()
    assert found.hazards == ()


@pytest.mark.parametrize(
    ("wait", "kinds"),
    [("cg::wait(block);", set()), ("", {"data-race"}), ("block.sync();", {"data-race"})],
)
def test_a_group_copies_together_and_waits(wait: str, kinds: set[str]) -> None:
    source = f"""#include <cuda/pipeline>
    {USING}
    __global__ void k(float *out, const float *in) {{
        __shared__ float tile[64];
        auto block = cg::this_thread_block();
        cg::memcpy_async(block, tile, in, cuda::aligned_size_t<4>(sizeof(float) * 64));
        {wait}
        for (int i = threadIdx.x; i < 64; i += 32) out[i] = tile[63 - i];
    }}"""
    given = np.arange(64, dtype=np.float32)
    found = trace(source, {"out": Unwritten("float32", (64,)), "in": given}, block=(32,))
    assert {hazard.kind for hazard in found.hazards} == kinds
    if not kinds:
        assert found.outputs["out"].tolist() == given[::-1].tolist()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("g.group_index();", "2:1: not supported: thread_block_tile<8>.group_index()"),
        ("g.match_any(1);", "2:1: not supported: thread_block_tile<8>.match_any()"),
        ("g.shfl(1);", "2:1: thread_block_tile<8>.shfl takes 2 arguments, 1 are given"),
        ("cg::coalesced_threads();", "2:1: not supported: function 'coalesced_threads'"),
        ("cg::tiled_partition<4>(g);", "2:1: not supported: tiled_partition of this group; divide the block"),
        ("cg::tiled_partition<64>(block);", "2:21: not supported: a tile of this size; use 1, 2, 4, 8, 16 or 32"),
        ("cg::exclusive_scan(g, 1);", "2:1: not supported: function 'exclusive_scan'"),
        (
            "cg::inclusive_scan(block, 1, cg::less<int>());",
            "2:1: not supported: this inclusive_scan; use a tile, a value and one of plus, less, greater",
        ),
        ("cg::wait(cg::this_grid());", "2:1: not supported: this wait; use a block or a tile"),
        ("cg::this_thread_block(memory);", "2:1: not supported: this_thread_block with an argument"),
    ],
)
def test_refusals(line: str, message: str) -> None:
    with pytest.raises(SourceError, match=re.escape(message)):
        trace(
            f"{USING.strip()} __global__ void k() {{ int memory; auto block = cg::this_thread_block();"
            f" auto g = cg::tiled_partition<8>(block);\n{line} }}"
        )
