"""Cooperative groups beyond blocks and tiles: coalesced groups, scans, and copies by a group."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from kernels.errors import SourceError
from kernels.simt import Unwritten
from tests.kernels.simt.programs import trace

USING = "namespace cg = cooperative_groups;\n"
T = np.arange(32)
THIRD = T[T % 3 == 0]
DOUBLED = sum(int(t) << 10 - i for i, t in enumerate(THIRD))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("g.size()", THIRD * 0 + 11),
        ("g.thread_rank()", np.arange(11)),
        ("g.shfl(t, 2)", THIRD * 0 + 6),
        ("g.shfl_down(t, 4)", np.r_[THIRD[4:], THIRD[-4:]]),
        ("g.shfl_up(t, 4)", np.r_[THIRD[:4], THIRD[:-4]]),
        ("g.ballot(g.thread_rank() % 4 == 0)", THIRD * 0 + 0b100010001),
        ("g.any(t == 30)", THIRD * 0 + 1),
        ("g.all(t < 30)", THIRD * 0),
        ("cg::reduce(g, t, cg::plus<int>())", THIRD * 0 + THIRD.sum()),
        ("cg::reduce(g, t, cg::greater<int>())", THIRD * 0 + 30),
        ("cg::reduce(g, t * 0.5f, cg::plus<float>())", THIRD * 0 + int(THIRD.sum() / 2)),
        ("cg::reduce(g, t, [](int a, int b) { return a * 2 + b; })", THIRD * 0 + DOUBLED),
        ("cg::inclusive_scan(g, t)", THIRD.cumsum()),
        ("cg::exclusive_scan(g, t, cg::greater<int>())", np.r_[0, THIRD[:-1]]),
        ("cg::labeled_partition(g, t % 2).size()", np.where(THIRD % 2, 5, 6)),
        ("cg::binary_partition(g, t > 20).thread_rank()", np.r_[np.arange(7), np.arange(4)]),
        ("rank(g)", np.arange(11)),
    ],
)
def test_the_lanes_that_come_along(expression: str, expected: Any) -> None:
    source = f"""{USING}
    __device__ unsigned rank(const cg::coalesced_group &group) {{ group.sync(); return group.thread_rank(); }}
    __global__ void k(int *out) {{
        int t = threadIdx.x;
        if (t % 3 == 0) {{
            cg::coalesced_group g = cg::coalesced_threads();
            out[t] = {expression};
        }}
    }}"""
    found = trace(source, {"out": np.full(32, -1, np.int32)}, block=(32,))
    assert found.outputs["out"][THIRD].tolist() == expected.tolist()
    assert set(np.delete(found.outputs["out"], THIRD)) == {-1}
    assert found.hazards == ()


def test_a_tile_falls_apart_by_labels() -> None:
    source = f"""{USING}
    __global__ void k(int *count, const int *bucket) {{
        auto tile = cg::tiled_partition<16>(cg::this_thread_block());
        auto same = cg::labeled_partition(tile, bucket[threadIdx.x]);
        if (same.thread_rank() == 0) atomicAdd(&count[bucket[threadIdx.x]], same.size());
    }}"""
    bucket = np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3] * 2, np.int32)
    found = trace(source, {"count": np.zeros(10, np.int32), "bucket": bucket}, block=(32,))
    assert found.outputs["count"].tolist() == np.bincount(bucket).tolist()
    assert found.hazards == ()


@pytest.mark.parametrize("size", [4, 16, 32])
@pytest.mark.parametrize(
    ("call", "exclusive"),
    [
        ("inclusive_scan(tile, v)", 0),
        ("inclusive_scan(tile, v, cg::plus<int>())", 0),
        ("exclusive_scan(tile, v)", 1),
    ],
)
def test_scans_of_a_tile(size: int, call: str, exclusive: int) -> None:
    source = f"""{USING}
    __global__ void k(int *a) {{
        auto tile = cg::tiled_partition<{size}>(cg::this_thread_block());
        int v = a[threadIdx.x];
        a[threadIdx.x] = cg::{call};
    }}"""
    given = np.random.default_rng(1).integers(0, 100, 32).astype(np.int32)
    found = trace(source, {"a": given}, block=(32,))
    rows = given.reshape(-1, size)
    assert found.outputs["a"].tolist() == (rows.cumsum(1) - exclusive * rows).reshape(-1).tolist()
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
    ("call", "expected"),
    [
        ("__fns(0xf0, 0, 2)", 5),
        ("__fns(0xf0, 31, -1)", 7),
        ("__fns(0xf0, 5, 0)", 5),
        ("__fns(0xf0, 0, 5)", 0xFFFFFFFF),
    ],
)
def test_find_the_nth_set_bit(call: str, expected: int) -> None:
    found = trace(
        f"__global__ void k(unsigned *out) {{ out[0] = {call}; }}",
        {"out": Unwritten("uint32", (1,))},
        block=(1,),
    )
    assert found.outputs["out"].tolist() == [expected]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("g.meta_group_rank();", "2:1: not supported: coalesced_group.meta_group_rank()"),
        ("g.shfl(1);", "2:1: coalesced_group.shfl takes 2 arguments, 1 are given"),
        (
            "cg::labeled_partition(cg::this_thread_block(), 1);",
            "2:1: not supported: labeled_partition of this",
        ),
        (
            "cg::exclusive_scan(cg::this_thread_block(), 1, cg::less<int>());",
            "2:1: not supported: this exclusive_scan; use a tile, a value and an operation",
        ),
        ("cg::wait(g);", "2:1: not supported: this wait; use a block or a tile"),
    ],
)
def test_refusals(line: str, message: str) -> None:
    with pytest.raises(SourceError, match=re.escape(message)):
        trace(f"namespace cg = cooperative_groups; __global__ void k() {{ auto g = cg::coalesced_threads();\n{line} }}")
