"""The built-in cub: reductions and scans of blocks and warps, also where not every thread has a value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kernels.simt import Unwritten
from tests.kernels.simt.programs import trace

GIVEN = np.random.default_rng(1).integers(-50, 50, 128).astype(np.int32)


@pytest.mark.parametrize("threads", [32, 48, 64, 128, 20])
@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("Sum(in[threadIdx.x])", lambda a: a.sum()),
        ("Reduce(in[threadIdx.x], cub::Max())", lambda a: a.max()),
        ("Reduce(in[threadIdx.x], cub::Min())", lambda a: a.min()),
        ("Reduce(in[threadIdx.x], cub::Sum(), 17)", lambda a: a[:17].sum()),
        ("Sum(in[threadIdx.x], 33)", lambda a: a[:33].sum()),
    ],
)
def test_blocks_reduce(threads: int, call: str, expected: Any) -> None:
    source = f"""
    #include <cub/cub.cuh>
    __global__ void k(const int *in, int *out) {{
        typedef cub::BlockReduce<int, {threads}> BlockReduce;
        __shared__ typename BlockReduce::TempStorage storage;
        int found = BlockReduce(storage).{call};
        if (threadIdx.x == 0) *out = found;
    }}"""
    found = trace(source, {"in": GIVEN, "out": Unwritten("int32", (1,))}, block=(threads,))
    assert found.outputs["out"].tolist() == [expected(GIVEN[:threads])]
    assert found.hazards == ()


@pytest.mark.parametrize("threads", [32, 48, 128, 20])
def test_blocks_scan(threads: int) -> None:
    source = f"""
    #include <cub/block/block_scan.cuh>
    #include <cub/block/block_reduce.cuh>
    __global__ void k(const int *in, int *until, int *before, int *total) {{
        using Scan = cub::BlockScan<int, {threads}>;
        __shared__ Scan::TempStorage one, other;
        int t = threadIdx.x, a, b, c;
        Scan(one).InclusiveSum(in[t], a);
        Scan(other).ExclusiveSum(in[t], b, c);
        until[t] = a;
        before[t] = b;
        total[t] = c;
    }}"""
    shapes = {name: Unwritten("int32", (threads,)) for name in ("until", "before", "total")}
    found = trace(source, {"in": GIVEN, **shapes}, block=(threads,))
    sums = GIVEN[:threads].cumsum()
    assert found.outputs["until"].tolist() == sums.tolist()
    assert found.outputs["before"].tolist() == (sums - GIVEN[:threads]).tolist()
    assert found.outputs["total"].tolist() == [sums[-1]] * threads
    assert found.hazards == ()


@pytest.mark.parametrize("width", [8, 32])
def test_warps(width: int) -> None:
    source = f"""
    #include <cub/cub.cuh>
    __global__ void k(const int *in, int *sums, int *before) {{
        __shared__ typename cub::WarpReduce<int, {width}>::TempStorage a[2];
        __shared__ typename cub::WarpScan<int, {width}>::TempStorage b[2];
        int t = threadIdx.x, found;
        sums[t] = cub::WarpReduce<int, {width}>(a[t / 32]).Sum(in[t]);
        cub::WarpScan<int, {width}>(b[t / 32]).ExclusiveSum(in[t], found);
        before[t] = found;
    }}"""
    given: dict[str, Any] = {name: Unwritten("int32", (64,)) for name in ("sums", "before")}
    found = trace(source, {"in": GIVEN, **given}, block=(64,))
    rows = GIVEN[:64].reshape(-1, width)
    assert found.outputs["sums"][::width].tolist() == rows.sum(1).tolist()
    assert found.outputs["before"].tolist() == (rows.cumsum(1) - rows).reshape(-1).tolist()
    assert found.hazards == ()


def test_storage_that_is_used_again_needs_a_barrier() -> None:
    source = """
    #include <cub/cub.cuh>
    __global__ void k(const int *in, int *out) {
        typedef cub::BlockReduce<int, 64> BlockReduce;
        __shared__ typename BlockReduce::TempStorage storage;
        int first = BlockReduce(storage).Sum(in[threadIdx.x]);
        int second = BlockReduce(storage).Sum(in[64 + threadIdx.x]);
        if (threadIdx.x == 0) *out = first + second;
    }"""
    found = trace(source, {"in": GIVEN, "out": Unwritten("int32", (1,))}, block=(64,))
    assert {hazard.kind for hazard in found.hazards} == {"data-race"}


def test_structs_are_reduced_and_scanned() -> None:
    source = """#include <cub/cub.cuh>
    struct Add {
        __device__ double4 operator()(double4 a, double4 b) const {
            return make_double4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
        }
    };
    __global__ void k(double4 *out) {
        typedef cub::BlockReduce<double4, 64> Reduce;
        __shared__ typename Reduce::TempStorage space;
        double4 all = Reduce(space).Reduce(make_double4(threadIdx.x, 1, 2, 3), Add());
        if (threadIdx.x == 0) out[0] = all;
    }"""
    found = trace(source, {"out": Unwritten("float64", (1, 4))}, block=(64,))
    assert found.outputs["out"].tolist() == [[2016, 64, 128, 192]]
    assert found.hazards == ()


ROWS = GIVEN[:80].reshape(20, 4)
"""Four values for each of 20 threads."""


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("InclusiveScan(in[t], out[t], cub::Max())", np.maximum.accumulate(GIVEN[:80])),
        ("ExclusiveScan(in[t], out[t], 3, cub::Max())", np.maximum.accumulate([3, *GIVEN[:79]])),
        ("InclusiveScan(in[t], out[t], Last())", GIVEN[:80]),
        ("ExclusiveScan(in[t], out[t], -7, Last(), last)", np.array([-7, *GIVEN[:79]])),
    ],
)
def test_blocks_scan_with_any_operation(call: str, expected: Any) -> None:
    source = f"""#include <cub/block/block_scan.cuh>
    struct Last {{ __device__ int operator()(int a, int b) const {{ return b; }} }};
    __global__ void k(const int *in, int *out) {{
        typedef cub::BlockScan<int, 80> Scan;
        __shared__ Scan::TempStorage space;
        int t = threadIdx.x, last = 0;
        Scan(space).{call};
        if (last) out[t] += last - in[79];
    }}"""
    found = trace(source, {"in": GIVEN, "out": Unwritten("int32", (80,))}, block=(80,))
    assert found.outputs["out"].tolist() == expected.tolist()
    assert found.hazards == ()


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("InclusiveSum(v, v)", np.cumsum(ROWS)),
        ("ExclusiveSum(v, v, total); v[0] += total", np.cumsum(ROWS) - ROWS.ravel() + [ROWS.sum(), 0, 0, 0] * 20),
        ("InclusiveScan(v, v, cub::Min())", np.minimum.accumulate(ROWS.ravel())),
        ("ExclusiveScan(v, v, 5, cub::Min())", np.minimum.accumulate([5, *ROWS.ravel()[:-1]])),
    ],
)
@pytest.mark.parametrize("way", ["DIRECT", "VECTORIZE", "TRANSPOSE", "WARP_TRANSPOSE"])
def test_blocks_load_scan_and_store_several_values_per_thread(call: str, expected: Any, way: str) -> None:
    source = f"""#include <cub/cub.cuh>
    __global__ void k(const int *in, int *out) {{
        typedef cub::BlockLoad<int, 20, 4, cub::BLOCK_LOAD_{way}> Load;
        typedef cub::BlockStore<int, 20, 4, cub::BLOCK_STORE_{way}> Store;
        typedef cub::BlockScan<int, 20> Scan;
        __shared__ union {{
            typename Load::TempStorage load; typename Store::TempStorage store; typename Scan::TempStorage scan;
        }} space;
        int v[4], total = 0;
        Load(space.load).Load(in, v, 80, 0);
        __syncthreads();
        Scan(space.scan).{call};
        __syncthreads();
        Store(space.store).Store(out, v, 80);
    }}"""
    found = trace(source, {"in": GIVEN, "out": Unwritten("int32", (80,))}, block=(20,))
    assert found.outputs["out"].tolist() == expected.tolist()
    assert found.hazards == ()


def test_values_in_turn_and_only_some_of_them() -> None:
    source = """#include <cub/cub.cuh>
    static_assert(cub::PowerOfTwo<64>::VALUE && !cub::PowerOfTwo<20>::VALUE, "");
    __global__ void k(const int *in, int *out) {
        typedef cub::BlockLoad<int, 20, 4, cub::BLOCK_LOAD_STRIPED> Load;
        typedef cub::BlockReduce<int, 20> Reduce;
        __shared__ typename Load::TempStorage load;
        __shared__ typename Reduce::TempStorage reduce;
        int v[4];
        Load(load).Load(in, v, 50, -1);
        int sum = Reduce(reduce).Sum(v);
        if (threadIdx.x == 0) *out = sum;
        if (threadIdx.x == 19) out[1] = v[1] - v[3] + cub::LaneId();
    }"""
    found = trace(source, {"in": GIVEN, "out": Unwritten("int32", (2,))}, block=(20,))
    assert found.outputs["out"].tolist() == [GIVEN[:50].sum() - 30, GIVEN[39] + 1 + 19]
    assert found.hazards == ()


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("InclusiveScan(in[t], found, cub::Max())", lambda r: np.maximum.accumulate(r, 1)),
        (
            "ExclusiveScan(in[t], found, 9, cub::Max())",
            lambda r: np.maximum.accumulate(np.c_[np.full(len(r), 9), r[:, :-1]], 1),
        ),
        ("InclusiveSum(in[t], found, total); found += total", lambda r: r.cumsum(1) + r.sum(1)[:, None]),
        (
            "ExclusiveScan(in[t], found, 0, cub::Sum(), total); found -= total",
            lambda r: r.cumsum(1) - r - r.sum(1)[:, None],
        ),
        (
            "InclusiveSum(found = 1, found); found += scan.Broadcast(in[t], 2)",
            lambda r: np.arange(1, r.shape[1] + 1) + r[:, 2:3],
        ),
    ],
)
@pytest.mark.parametrize("width", [8, 32])
def test_warps_scan_with_any_operation(call: str, expected: Any, width: int) -> None:
    source = f"""#include <cub/warp/warp_scan.cuh>
    __global__ void k(const int *in, int *out) {{
        typedef cub::WarpScan<int, {width}> Scan;
        __shared__ typename Scan::TempStorage space[8];
        int t = threadIdx.x, found, total;
        Scan scan(space[t / {width}]);
        scan.{call};
        out[t] = found;
    }}"""
    found = trace(source, {"in": GIVEN, "out": Unwritten("int32", (64,))}, block=(64,))
    assert found.outputs["out"].tolist() == expected(GIVEN[:64].reshape(-1, width)).ravel().tolist()
    assert found.hazards == ()
